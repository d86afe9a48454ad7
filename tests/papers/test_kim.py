"""Votes of views: settings of runs, what was tried, and what the pages say of it."""

import numpy as np
import pytest

from coterie import Corpus, FusionLM, TextOptions, VotedPLSA
from coterie.evaluation import micro_precision, nmi
from coterie_papers.cells import cell, compute
from coterie_papers.items import Chart, Grid, Scope
from coterie_papers.kim import patterns, published, runs, tables, tries, views

SCOPE = Scope(5)
WORDS = ["apple pear plum cherry", "iron steel copper zinc"]


@pytest.fixture(autouse=True)
def _nothing_here(tmp_path, monkeypatch):
    """The collections are the two substitutes."""
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def fruit(monkeypatch):
    """Forty documents in three views, of two classes."""
    rng = np.random.default_rng(0)
    labels = np.arange(40) % 2
    texts = {
        name: [
            " ".join(rng.choice((WORDS[k] + " sugar salt").split(), size=12)) for k in labels
        ]
        for name in ("en", "de", "fr")
    }
    options = dict.fromkeys(texts, TextOptions(language="en", min_df=1))
    corpus = Corpus.from_texts(
        texts, options=options, labels=np.array(["fruit", "metal"])[labels]
    )
    monkeypatch.setitem(views.LOADERS, "debian", lambda: corpus)
    views.load.cache_clear()
    yield corpus
    views.load.cache_clear()


def made_up(plan, score):
    """Results in which a cell has the score that `score` says, a little more by seed."""
    found = {}
    for each in plan:
        value = score(each) + each.seed / 1000
        found[each] = {"precision": value, "nmi": value, "seconds": 1.0,
                       "preassigned": value, "precision_preassigned": value + 0.1}  # fmt: skip
    return found


def by_method(**scores):
    return lambda each: scores.get(each.method.replace("-", "_"), 0.5)


def claims_of(sheet):
    return {claim.text.partition(" (")[0]: claim for claim in sheet.claims}


def test_settings_are_parameters_of_the_strategy(fruit):
    one = compute(cell("kim.views.scores", "debian", "voted-plsa", 3, n_view_clusters=3,
                       agreement=0.6))  # fmt: skip
    model = VotedPLSA(2, n_view_clusters=3, agreement=0.6, random_state=3, **views.TO_THE_END)
    model.fit(fruit)
    assert one["precision"] == micro_precision(fruit.labels, model.labels_)
    assert one["preassigned"] == pytest.approx(model.n_preassigned_ / 40)
    two = compute(cell("kim.views.scores", "debian", "voted-plsa", 3, second="mm"))
    mixture = VotedPLSA(2, ("plsa", "mm"), random_state=3, **views.TO_THE_END).fit(fruit)
    assert two["nmi"] == pytest.approx(nmi(fruit.labels, mixture.labels_))


def test_every_model_of_a_view_stops_alike():
    for settings in ({}, {"init": "kmeans"}, {"whole": True}, {"second": "mm"}):
        for strategy in ("voted-plsa", "fusion-lm"):
            if strategy == "fusion-lm" and "second" in settings:
                continue
            model = views.STRATEGIES[strategy](2, 0, **settings)
            first = model._view_model(False, 0)
            stop = {name: getattr(first, name) for name in views.TO_THE_END}
            assert stop == views.TO_THE_END
            assert (model.tol, model.max_iter) == (first.tol, first.max_iter)
    assert views.STRATEGIES["conc-plsa"](2, 0).tol == views.TO_THE_END["tol"]


def test_whole_memberships_are_zero_or_one(fruit):
    fused = views.STRATEGIES["fusion-lm"](2, 0, whole=True).fit(fruit)
    assert isinstance(fused, FusionLM)
    for model in fused.view_models_:
        assert set(np.unique(model.memberships_)) == {0, 1}
        assert set(np.unique(model.predict_proba(fruit.views["en"].counts))) <= {0, 1}


def test_views_vote_several_times_or_only_some_of_them(fruit):
    assert list(views.voters(fruit, 2, 1, 0)) == ["en 1", "de 1"]
    assert list(views.voters(fruit, 2, 1, 2)) == ["en 1", "fr 1"]
    twice = views.voters(fruit, None, 2, 0)
    assert list(twice) == ["en 1", "de 1", "fr 1", "en 2", "de 2", "fr 2"]
    model = VotedPLSA(2, random_state=0).fit(twice)
    starts = {each.random_state for each in model.view_models_}
    assert len(starts) == 6
    found = compute(cell("kim.views.scores", "debian", "voted-plsa", 0, repeats=2))
    assert found["precision"] > 0.9
    assert compute(cell("kim.views.scores", "debian", "voted-plsa", 1, n_views=2))


def test_parts_have_all_classes_and_no_document_twice(fruit):
    parts = [views.load(f"debian/4/{number}") for number in range(4)]
    assert sorted(name for part in parts for name in part.ids) == sorted(fruit.ids)
    for part in parts:
        assert np.count_nonzero(part.labels == "metal") == len(part) / 2
    planned = runs.cells(SCOPE, "debian", "conc-plsa", parts=2)
    assert [each.corpus for each in planned] == [f"debian/2/{n}" for n in (0, 1, 0, 1, 0)]


def test_what_fails_is_told_with_every_try():
    plan = tables.plan_table2(SCOPE)
    worse = by_method(conc_plsa=0.4, fusion_lm=0.6, voted_plsa=0.6)
    sheet = tables.present_table2(SCOPE, made_up(plan, worse))
    found = claims_of(sheet)
    assert found["voted-PLSA is above conc-PLSA"].holds
    assert found["voted-PLSA is significantly above conc-PLSA"].holds
    assert found["voted-PLSA performs at least as well as Fusion-LM"].holds
    beaten = found["conc-PLSA performs at least as well as Fusion-LM"]
    assert not any(beaten.verdicts.values())
    assert "half of the documents 0" in beaten.reason
    assert "the cause is not known" in beaten.reason
    assert "Fusion-LM with one start is significantly better for" in beaten.reason
    assert "0.402 / 0.402" in beaten.reason
    level = found["voted-PLSA is significantly above Fusion-LM"]
    assert not any(level.verdicts.values())
    assert level.reason.startswith("Tried, with the number of the 4 comparisons")
    for claim in sheet.claims:
        assert claim.ours or claim.holds or claim.reason
    assert tables.SAME_STOP in sheet.notes


def test_a_try_that_makes_a_statement_hold_is_named():
    def score(each):
        more = each.setting("n_init", 1) == 5 and each.method == "conc-plsa"
        return 0.7 if more else by_method(conc_plsa=0.4, fusion_lm=0.6)(each)

    sheet = tables.present_table2(SCOPE, made_up(tables.plan_table2(SCOPE), score))
    reason = claims_of(sheet)["conc-PLSA performs at least as well as Fusion-LM"].reason
    assert "It holds everywhere with: best of five starts." in reason
    assert reason.endswith("Fusion-LM with one start is not significantly better.")


def test_tables_of_tries_have_every_figure():
    plan = tables.plan_table2(SCOPE)
    sheet = tables.present_table2(SCOPE, made_up(plan, by_method(fusion_lm=0.6)))
    grids = [part for part in sheet.parts if isinstance(part, Grid) and "tried" in part.title]
    assert len(grids) == 2
    for grid in grids:
        assert [row[0] for row in grid.rows] == list(tries.TRIES)
        whole = dict(zip(tries.TRIES, grid.rows, strict=True))["views' memberships whole"]
        assert whole[1:] == ["", "0.602 / 0.602", ""]


def test_the_share_preassigned_is_said_to_grow_only_where_it_does():
    plan = tables.plan_table1(SCOPE)

    def grows(each):
        return 0.4 / (int(each.corpus.split("/")[1]) if "/" in each.corpus else 1)

    sheet = tables.present_table1(SCOPE, made_up(plan, grows))
    few = claims_of(sheet)["votes pre-assign more than half of the documents"]
    assert not any(few.verdicts.values())
    assert few.reason.startswith("The more documents, the more the views agree")
    assert "10, 20, 40 %" in few.reason
    same = tables.present_table1(SCOPE, made_up(plan, lambda _: 0.7))
    enough = claims_of(same)["votes pre-assign more than half of the documents"]
    assert enough.holds
    assert enough.reason == ""
    shares = same.parts[1]
    assert shares.rows[0] == ["as in the table", "70.2 / 0.80", "70.2 / 0.80"]
    assert len(published.PREASSIGNED) == 6


def test_section_4_has_a_table_and_a_line_for_every_question():
    plan = patterns.plan(SCOPE)

    def score(each):
        return 0.4 + each.setting("n_views", 5) / 100 + each.setting("repeats", 1) / 100

    sheet = patterns.present(SCOPE, made_up(plan, score))
    grids = [part for part in sheet.parts if isinstance(part, Grid)]
    assert [grid.title for grid in grids] == list(patterns.TABLES)
    assert [len(grid.rows) for grid in grids] == [2 * len(t) for t in patterns.TABLES.values()]
    votes, topics = (part for part in sheet.parts if isinstance(part, Chart))
    assert votes.lines[0].x == patterns.LENGTHS
    assert votes.lines[0].y == sorted(votes.lines[0].y)
    assert list(topics.lines[0].x) == [3, 4, 6, 9, 12, 18, 24]
    assert all(claim.ours for claim in sheet.claims)
    assert claims_of(sheet)["votes of five views are above votes of two"].holds
    assert "5 views three times 0.48" in sheet.headline


def test_items_share_their_cells():
    usual = set(runs.cells(SCOPE, "debian", "voted-plsa"))
    for plan in (tables.plan_table1, tables.plan_table2, patterns.plan):
        assert usual <= set(plan(SCOPE))
    assert set(tables.plan_table1(SCOPE)) <= set(tables.plan_table2(SCOPE))
