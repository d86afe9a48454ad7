"""The papers combined: a row of every table, and where it stands among published values."""

from dataclasses import replace

import numpy as np
import pytest

from coterie import AutoClustering, Corpus, TextOptions
from coterie.evaluation import mi_f_score, micro_precision, nmi
from coterie_papers import clustering
from coterie_papers.cells import cell, compute
from coterie_papers.combined import (
    ABOVE_PUBLISHED,
    COMBINED,
    above_published,
    best_published,
    n_runs,
)
from coterie_papers.comparison import Row
from coterie_papers.grimal import samples
from coterie_papers.items import Grid, Scope, Value
from coterie_papers.kim import views
from coterie_papers.rigouste import curves
from coterie_papers.running import item, items

TABLES = ("pessiot-table5", "grimal-table2", "grimal-table3", "kim-table2", "wang-table2")
BESTS = [
    ("pessiot-table5", "Reuters-21578, AP", 0.71),
    ("pessiot-table5", "Reuters-21578, NMI", 0.44),
    ("pessiot-table5", "20Newsgroups, NMI", 0.54),
    ("pessiot-table5", "WebKB, AP", 0.68),
    ("grimal-table2", "M10, Pr", 0.80),
    ("grimal-table2", "NG3, NMI", 0.81),
    ("grimal-table3", "M5, Pr", 0.79),
    ("grimal-table3", "NG2, Pr", 0.73),
    ("kim-table2", "Debian, six sections, AP", 0.65),
    ("kim-table2", "Reuters, 600 documents, NMI", 0.44),
    ("wang-table2", "15 topics, F1", 0.4883),
    ("wang-table2", "20 topics, recall", 0.755),
]
TOPICS = ["apple pear plum cherry", "iron steel copper zinc"]


@pytest.fixture(autouse=True)
def _nothing_here(tmp_path, monkeypatch):
    """Collections that stand in for others are the ones named."""
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def made_up(each, score):
    """What a cell would give if all it found had one score."""
    if each.experiment.endswith("sweep"):
        settings = [""] if each.method in ("auto", "cosine") else ["0.0", "0.6"]
        scores = {setting: [score, score] for setting in settings}
        return {"scores": scores, "empty": 1, "alone": dict.fromkeys(settings, 1)}
    if each.experiment in ("grimal.samples.shape", "grimal.projection.diagnosis"):
        numbers = ("smallest", "above_one", "plain", "projected")
        seconds = {"plain_seconds": 1.0, "projected_seconds": 2.0}
        return {"empty": 1, **dict.fromkeys(numbers, score), **seconds}
    if each.experiment in ("clustering.pairs", "wang.partitions.even"):
        soft = 0.0 if each.method == "auto" else score
        found = {"precision": soft, "recall": soft, "f1": soft, "hard": [score] * 3}
        return {**found, "seconds": 1.0}
    if each.experiment == "rigouste.searches.ends":
        return {"likelihood": score, "f_score": score}
    ends = {name: [0.1, score] for name in ("likelihood", "perplexity", "f_score")}
    kept = {**ends, "by_labels": [score], "unigram": 1.0, "sizes": [500, 1000]}
    return kept if "curves" in each.experiment else {"precision": score, "nmi": score}


def sheet_of(name, auto, scope=None):
    """The page of an item where the papers combined have one score and others have 0.1."""
    scope = scope or Scope(2)
    known = {"auto": auto, views.FUSED: auto, "labels": 0.95}
    results = {
        each: made_up(each, known.get(each.method, 0.1)) for each in item(name).plan(scope)
    }
    return item(name).present(scope, results)


def verdicts_of(sheet):
    (claim,) = [claim for claim in sheet.claims if claim.text == ABOVE_PUBLISHED]
    return claim.verdicts


@pytest.fixture
def rows():
    def row(group, name, scores, **published):
        runs = [{"precision": score, "nmi": score / 2} for score in scores]
        return Row(
            group, name, runs, {m: Value(v) if v else None for m, v in published.items()}
        )

    return [
        row("tea", "MM", [0.9], precision=0.5, nmi=None),
        row("tea", "PLSA", [0.9], precision=0.6),
        row("tea", COMBINED, [0.6, 0.7]),
        row("rum", "MM", [0.1], precision=0.7, nmi=0.35),
        row("rum", COMBINED, [0.65, 0.75]),
        row("gin", "MM", [0.1], precision=0.2),
    ]


def test_the_best_published_value_is_that_of_any_method_of_the_group(rows):
    assert best_published(rows, "tea", "precision") == 0.6
    assert best_published(rows, "tea", "nmi") is None
    assert best_published(rows, "rum", "nmi") == 0.35


def test_ours_is_above_where_its_mean_is_more_than_all_that_was_published(rows):
    claim = above_published(rows, {"precision": "AP", "nmi": "NMI"})
    assert claim.text == ABOVE_PUBLISHED
    assert claim.verdicts == {"tea, AP": True, "rum, AP": False, "rum, NMI": False}


@pytest.mark.parametrize("scope", [Scope(2), Scope(3, quick=True)], ids=["full", "quick"])
@pytest.mark.parametrize("name", TABLES)
def test_every_table_of_scores_ends_with_the_papers_combined(name, scope):
    sheet = sheet_of(name, 0.99, scope)
    groups = {name.rpartition(", ")[0] for name in verdicts_of(sheet)}
    grids = [part for part in sheet.parts if isinstance(part, Grid) and part.title in groups]
    assert len(grids) == len(groups)
    for grid in grids:
        names = [record["name"] for record in grid.records]
        assert names[-1] == COMBINED
        assert names.count(COMBINED) == 1
        assert not any(each.startswith("best combined") for each in names)
        assert grid.rows[-1][0].startswith(COMBINED)
        assert grid.rows[-1][1].startswith("0.990")
        assert grid.rows[-1][-1] == str(n_runs(scope)) == ("1" if scope.quick else "2")
    assert verdicts_of(sheet)
    assert all(verdicts_of(sheet).values())
    assert not any(verdicts_of(sheet_of(name, 0.01, scope)).values())
    assert "auto 0.99" in sheet.headline


@pytest.mark.parametrize(("name", "where", "best"), BESTS)
def test_the_claim_turns_at_the_best_value_of_the_published_table(name, where, best):
    assert not verdicts_of(sheet_of(name, best - 1e-6))[where]
    assert verdicts_of(sheet_of(name, best + 1e-6))[where]


def test_the_table_without_published_nmi_has_no_verdict_on_it():
    assert {
        where.rpartition(", ")[2] for where in verdicts_of(sheet_of("grimal-table3", 0.5))
    } == {"Pr"}


def test_words_are_not_chosen_for_the_papers_combined():
    sheet = sheet_of("grimal-table2", 0.5)
    assert "fitted to all words" in sheet.parts[0]
    assert "(all words" in sheet.parts[1].rows[-1][0]
    own = [
        {each for each in item(name).plan(Scope(1)) if each.method == "auto"}
        for name in ("grimal-table2", "grimal-table3")
    ]
    assert own[0] == own[1]
    assert {each.setting("selection") for each in own[0]} == {samples.ALL_WORDS}


@pytest.mark.parametrize(("score", "held"), [(0.9, [True, True]), (0.5, [True, False])])
def test_the_growing_vocabulary_is_shown_beside_the_papers_combined(score, held):
    sheet = sheet_of("rigouste-figure6", score)
    assert [claim.holds for claim in sheet.claims[-2:]] == held
    assert sheet.claims[-1].text.startswith(ABOVE_PUBLISHED)
    assert COMBINED in [line.name for line in sheet.parts[2].lines]
    grid = next(part for part in sheet.parts if isinstance(part, Grid))
    assert [row[0] for row in grid.rows[-2:]] == [COMBINED, f"{COMBINED}, labels alone"]


def test_a_full_run_of_the_papers_combined_is_expected_to_take_its_time():
    def seconds(name):
        return max(c.seconds for c in item(name).plan(Scope()) if c.method.startswith("auto"))

    assert seconds("pessiot-table5") == 30
    assert all(seconds(name) > 1 for name in TABLES)


@pytest.mark.parametrize("each", items(), ids=lambda each: each.name)
def test_a_quick_look_has_one_run_of_few_candidates(each):
    quick = [c for c in each.plan(Scope(3, quick=True)) if c.method.startswith("auto")]
    assert {(c.seed, c.setting("few")) for c in quick} <= {(0, True)}
    full = [c for c in each.plan(Scope(3)) if c.method.startswith("auto")]
    assert {(c.seed, c.setting("few")) for c in full} in ({(n, None) for n in range(3)}, set())
    assert bool(quick) == bool(full)


@pytest.mark.usefixtures("planted")
def test_few_candidates_are_fewer(monkeypatch):
    seen = []
    fit = AutoClustering.fit

    def recorded(self, X, **more):
        fit(self, X, **more)
        seen.append(len(self.candidates_["name"]))
        return self

    monkeypatch.setattr(AutoClustering, "fit", recorded)
    for name, corpus in (
        ("clustering.scores", "webkb"),
        ("rigouste.curves.automatic", "ten-groups"),
    ):
        compute(cell(name, corpus, "auto", few=True))
        compute(cell(name, corpus, "auto"))
    assert seen[0] < seen[1]
    assert seen[2] < seen[3]


def test_what_changes_no_cluster_is_left_out(planted):
    model = clustering.fitted("auto", planted, 4, 1)
    whole = AutoClustering(4, random_state=1).fit(planted.counts)
    assert np.isnan(model.stability_).all()
    assert whole.stability_ is not None
    assert np.array_equal(model.labels_, whole.labels_)


@pytest.mark.usefixtures("planted")
def test_unseen_documents_are_placed_by_what_was_learned_from_the_others():
    each = cell("rigouste.curves.automatic", "four-groups", "auto", 3, fold=1)
    found = compute(each)
    train, test = curves.folds(each)
    model = AutoClustering(4, calibrated=False, random_state=3).fit(train.counts)
    placed = model.predict_proba(test.counts)
    assert found["f_score"] == pytest.approx([mi_f_score(test.labels, placed)], abs=1e-7)
    assert found["by_labels"] == [
        pytest.approx(nmi(test.labels, model.predict(test.counts)), abs=1e-9)
    ]
    assert found["seconds"] > 0


@pytest.fixture
def fruit_and_metal():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=40)
    texts = [" ".join(rng.choice(TOPICS[label].split(), 8)) for label in labels]
    return Corpus.from_texts(
        [*texts, ""], labels=[*labels.tolist(), 0], options=TextOptions("en", min_df=1)
    )


def test_a_sample_is_fitted_with_all_its_words(fruit_and_metal, monkeypatch):
    monkeypatch.setattr(samples, "load_sample", lambda *_: fruit_and_metal)
    samples.load.cache_clear()
    each = cell("grimal.samples.sweep", "M2/0", "auto", 5, selection=samples.ALL_WORDS)
    corpus, n_empty = samples.load("M2", 0, samples.ALL_WORDS)
    found = compute(each)
    assert set(compute(replace(each, settings=(*each.settings, ("few", True))))["scores"]) == {
        ""
    }
    samples.load.cache_clear()
    assert (len(corpus.words), n_empty) == (8, 1)
    model = AutoClustering(2, random_state=5).fit(corpus)
    expected = [
        micro_precision(corpus.labels, model.labels_),
        nmi(corpus.labels, model.labels_),
    ]
    assert found["scores"] == {"": pytest.approx(expected, abs=1e-5)}


def test_all_views_side_by_side_are_one_more_view(fruit_and_metal, monkeypatch):
    (view,) = fruit_and_metal.views.values()
    two = Corpus({"en": view, "de": view}, fruit_and_metal.ids, labels=fruit_and_metal.labels)
    given = views.with_all(two)
    assert list(given) == ["en", "de", "all"]
    assert given["all"].shape[1] == 2 * len(view.vocabulary)
    monkeypatch.setitem(views.LOADERS, "debian", lambda: two)
    views.load.cache_clear()
    seen = []

    class Recorded(views.FusionLM):
        def fit(self, X):
            seen.append((list(X), self.base, self.n_init, self.random_state))
            return super().fit(X)

    monkeypatch.setattr(views, "FusionLM", Recorded)
    found = compute(cell("kim.views.scores", "debian", views.FUSED, 4))
    compute(cell("kim.views.scores", "debian", views.FUSED, 4, few=True))
    views.load.cache_clear()
    assert found["precision"] > 0.9
    (names, base, n_init, seed), (*_, fewer, _, _) = seen
    assert len(fewer.growths) < len(base.growths)
    assert names == ["en", "de", "all"]
    assert isinstance(base, AutoClustering)
    assert not base.calibrated
    assert (n_init, seed) == (10, 4)
