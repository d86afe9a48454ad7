"""Section 4 and the trials behind Figures 2, 6 and 7 of Rigouste, Cappé and Yvon."""

import numpy as np
import pytest

from coterie import IncrementalVocabulary, MultinomialMixture
from coterie.evaluation import mi_f_score
from coterie.models.gibbs import draw_parameters, posteriors
from coterie_papers.cells import cell, compute
from coterie_papers.items import Grid, Scope
from coterie_papers.rigouste import curves, figures, published, quality, searches, setup
from coterie_papers.rigouste import trials as trials_of
from coterie_papers.rigouste.trials import Trial
from coterie_papers.running import item

SCOPE = Scope(2)


@pytest.fixture(autouse=True)
def _nothing_here(tmp_path, monkeypatch):
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def perturbed(method, shares, seed=0):
    return compute(
        cell("rigouste.perturbed.scores", "four-groups", method, seed, shares=shares)
    )["f_score"]


@pytest.mark.usefixtures("planted")
def test_perturbed_classes_lose_the_more_the_more_are_drawn():
    for method in ("all", "others"):
        scores = perturbed(method, (0.0, 0.1, 0.5))
        assert scores[0] == 1
        assert scores[0] > scores[1] > scores[2]
    drawn = np.mean([perturbed("all", (0.5,), seed) for seed in range(5)])
    assert drawn > np.mean([perturbed("others", (0.5,), seed) for seed in range(5)])


def test_classes_drawn_from_the_others_are_all_wrong(planted):
    found = perturbed("others", (1.0,), seed=3)
    codes = np.unique(planted.labels.astype(str), return_inverse=True)[1]
    rng = np.random.default_rng(3)
    rng.permutation(len(codes))
    wrong = (codes + rng.integers(1, 4, size=len(codes))) % 4
    assert not (wrong == codes).any()
    assert found == [pytest.approx(mi_f_score(codes, np.eye(4)[wrong]), abs=1e-7)]


def section4(at_published, dirichlet=0.24):
    """The page where classes drawn from all have these scores, and those from others none."""
    curve = np.interp(setup.SHARES, [0, *published.PERTURBED, 1], [1, *at_published, 0])
    results = {}
    for each in item("rigouste-section4").plan(SCOPE):
        score = dirichlet if each.method == "dirichlet" else 0.9
        results[each] = {"f_score": [score], "likelihood": [0.0]}
        if each.method in ("all", "others"):
            results[each] = {"f_score": (curve * (each.method == "all")).tolist()}
    return quality.present_section4(SCOPE, results)


def test_the_nearer_reading_is_told_and_tested():
    sheet = section4([0.86, 0.66, 0.23])
    assert [claim.holds for claim in sheet.claims] == [True, True]
    assert "classes drawn from all classes are nearer" in sheet.parts[-1]
    (grid,) = [part for part in sheet.parts if isinstance(part, Grid)]
    assert grid.rows[0] == ["5%", "0.860 ± 0.000", "0.000 ± 0.000", "0.90", "2"]
    assert "5% perturbed 0.86 (0.90)" in sheet.headline
    chart = sheet.parts[1]
    assert chart.lines[2].y == [0.9, 0.7, 0.25]
    assert chart.lines[2].x == [5, 15, 50]


def test_statements_of_section_4_can_fail():
    sheet = section4([0.84, 0.66, 0.23], dirichlet=0.6)
    near, half = sheet.claims
    assert near.verdicts == {"5%": False, "15%": True, "50%": True}
    assert not half.holds
    assert near.reason


def test_rank_correlation_is_within_folds():
    wanted = setup.em(Scope(3), "dirichlet")
    results = {
        each: {
            "likelihood": [each.seed + 100.0 * each.setting("fold")],
            "f_score": [0.125 * each.seed - 0.5 * each.setting("fold")],
        }
        for each in wanted
    }
    correlation, p_value = quality.rank_correlation(wanted, results)
    assert correlation == pytest.approx(1)
    assert p_value < 0.01
    same = {each: {"likelihood": [1.0], "f_score": [0.5]} for each in wanted}
    assert quality.rank_correlation(wanted, same) == (0.0, 1.0)


@pytest.mark.parametrize("sign", [1, -1])
def test_the_likelihood_is_an_indicator_where_it_rises_with_the_score(sign):
    scope = Scope(3)
    results = {
        each: {
            "likelihood": [float(sign * each.seed)],
            "f_score": [0.9 if each.method == "labels" else 0.1 + 0.1 * each.seed],
        }
        for each in item("rigouste-figure2").plan(scope)
    }
    sheet = figures.present_figure2(scope, results)
    claim = sheet.claims[-1]
    assert claim.verdicts == {"all words": sign == 1, "500 words": sign == 1}
    assert f"all words {sign:.2f}" in claim.reason
    grid = sheet.parts[-1]
    assert [row[0] for row in grid.rows][-2:] == ["10,000 words", "all words"]
    assert {row[1] for row in grid.rows} == {f"{sign:.2f}"}


def test_searches_end_where_the_models_do(planted):
    each = cell("rigouste.searches.ends", "four-groups", "growing", 3, fold=1, sizes=(20,),
                runs=4, kept=2, concentration=50.0, steps=5)  # fmt: skip
    train, test = curves.folds(each)
    search = IncrementalVocabulary(
        MultinomialMixture(4, max_iter=5, tol=0), vocabulary_sizes=[20, 60], n_init=4,
        n_kept=2, concentration=50.0, random_state=3,
    ).fit(train.counts)  # fmt: skip
    found = compute(each)
    assert found["likelihood"] == pytest.approx(search.log_likelihood(train.counts))
    expected = mi_f_score(test.labels, search.predict_proba(test.counts))
    assert found["f_score"] == pytest.approx(expected, abs=1e-7)
    starts = {
        method: compute(cell("rigouste.searches.ends", "four-groups", method, steps=6, fold=1))
        for method in ("labels", "dirichlet")
    }
    assert starts["labels"]["f_score"] > 0.9 >= starts["dirichlet"]["f_score"] - 0.1
    assert len(planted.labels) == len(train.labels) + len(test.labels)


def test_stories_are_as_many_of_each_class(planted, monkeypatch):
    monkeypatch.setattr(searches, "_reuters", lambda: planted)
    monkeypatch.setattr(searches, "PER_CLASS", 20)
    searches.stories.cache_clear()
    data = searches.stories("class 0,class 2")
    names, sizes = np.unique(data.labels.astype(str), return_counts=True)
    assert names.tolist() == ["class 0", "class 2"]
    assert sizes.tolist() == [20, 20]
    assert data.counts.count_nonzero(axis=0).min() > 0
    each = cell("rigouste.searches.ends", "four-stories/class 0,class 2", "labels", fold=0,
                steps=5)  # fmt: skip
    assert compute(each)["f_score"] > 0.5
    searches.stories.cache_clear()


def test_all_choices_of_four_classes_are_planned():
    assert len(setup.chosen_classes(Scope())) == 15
    cells = item("rigouste-figure6").plan(Scope())
    stories = [each for each in cells if each.corpus.startswith("four-stories/")]
    assert len(stories) == 15 * 3 * published.FOLDS
    tried = [each for each in cells if each.experiment == "rigouste.searches.ends"]
    assert len(tried) - len(stories) == len(setup.TRIALS) * published.FOLDS


def test_a_trial_is_compared_with_the_classes_fold_by_fold():
    scope = Scope(2)
    results = {}
    for each in item("rigouste-figure6").plan(scope):
        fold = 1000.0 * each.setting("fold")
        f_score = {"labels": 0.9, "dirichlet": 0.1}.get(each.method, 0.5)
        gain = {"labels": 0.0}.get(each.method, -100.0 + 10 * each.seed)
        results[each] = {"likelihood": [fold + gain], "f_score": [f_score]}
    first, likeliest, *others = trials_of.on_groups(scope, results, setup.best_first_size())
    assert (first.gain, first.closed, first.n_runs) == (-95, pytest.approx(0.5), 8)
    assert (likeliest.gain, likeliest.n_runs) == (-90, 4)
    assert [trial.name for trial in others] == list(setup.TRIALS)
    newswire = trials_of.on_newswire(scope, results)
    assert len(newswire) == 15
    assert newswire[0].name == "acq, crude, earn, grain"


def test_reasons_tell_what_was_tried():
    groups = [Trial("a", -200, 0.7, 0.8, 4), Trial("b", -50, 0.75, 0.85, 4)]
    newswire = [Trial("x", 10, 0.8, 0.95, 4), Trial("y", 20, 0.7, 0.7, 4),
                Trial("z", -3, 0.7, 0.6, 4)]  # fmt: skip
    likely = trials_of.why_less_likely(groups, newswire)
    assert "200 below" in likely
    assert "“b” comes nearest, with -50" in likely
    assert "2 of 3 choices" in likely
    assert "depends on the collection" in likely
    assert "depends" not in trials_of.why_less_likely(groups, newswire[2:])
    closed = trials_of.why_less_closed(groups, newswire)
    assert "“b” closes most, 85%" in closed
    assert "1 of 3 choices" in closed
    assert "newswire" not in trials_of.why_less_closed(groups, [])


@pytest.mark.usefixtures("planted")
def test_parameters_estimated_from_drawn_themes_are_more_likely():
    each = cell("rigouste.chains.ends", "four-groups", "gibbs", 1, fold=0, sweeps=30)
    found = compute(each)
    assert found["estimated"] > found["drawn"]
    train, _ = curves.folds(each)
    rng = np.random.default_rng(1)
    draw = draw_parameters(train.counts, np.zeros(len(train.labels), int), 4, 1.0, 1.1, rng)
    assert found["drawn"] > posteriors(train.counts, draw)[1]


@pytest.mark.parametrize(("chain", "holds"), [(-15.0, True), (-30.0, False)])
def test_chains_are_in_the_range_of_em_or_not(chain, holds):
    grid, claim = figures._in_the_range(
        [chain], [-20.0, -10.0], [{"drawn": -30, "estimated": -5}]
    )
    assert claim.holds == holds
    assert grid.rows[0] == ["EM from Dirichlet starts", "-20", "-15", "-10", "2"]
    assert grid.rows[3][1:] == ["-5", "-5", "-5", "1"]
    assert "between -20 and -10" in claim.reason
    assert "it is -30, and -5 after" in claim.reason
