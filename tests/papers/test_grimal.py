"""Grimal and Bisson (2011): documents without chosen words, projections, statements."""

import numpy as np
import pytest

from coterie import ChiSim, Corpus, TextOptions
from coterie.evaluation import micro_precision
from coterie.similarity import CTK
from coterie_papers.cells import cell, compute
from coterie_papers.comparison import Row
from coterie_papers.grimal import samples, table2, table3, tables, walks, whole
from coterie_papers.items import Claim, Scope, Value
from coterie_papers.running import item

TOPICS = ["apple pear plum cherry", "iron steel copper zinc"]
PLAIN = TextOptions(language="en", stop_words="none", min_df=1)


@pytest.fixture
def sample(monkeypatch):
    """Every sample has two topics that share a word, and one document without any word."""
    rng = np.random.default_rng(0)
    labels = [n % 2 for n in range(20)]
    texts = [" ".join([*rng.choice(TOPICS[n].split(), 6), *["market"] * 6]) for n in labels]
    corpus = Corpus.from_texts([*texts, "7"], labels=[*map(str, labels), "0"], options=PLAIN)
    corpus = corpus.select_words([n for n, word in enumerate(corpus.words) if word.isalpha()])
    for module in (samples, whole):
        monkeypatch.setattr(module, "load_sample", lambda *_: corpus)
    for cached in (samples.load, whole.chosen):
        cached.cache_clear()
    yield corpus
    for cached in (samples.load, whole.chosen):
        cached.cache_clear()


def swept(method, **settings):
    each = cell("grimal.whole.sweep", "M2/0", method, 0, few=True, **settings)
    return compute(each)


def test_a_document_without_words_takes_a_cluster_of_its_own_until_pruning(sample):
    found = swept("chi-sim-1", selection=samples.ALL_WORDS)
    assert found["empty"] == 1
    none, pruned = (found["scores"][p][0] for p in ("0.0", "0.6"))
    assert none < 0.6
    assert found["alone"] == {"0.0": 1, "0.6": 0}
    assert pruned > 0.9
    outside = swept("chi-sim-1", selection=samples.ALL_WORDS, outside=True)["scores"]["0.0"][0]
    model = ChiSim(2, exponent=1).fit(sample.counts)
    assert outside == pytest.approx(micro_precision(sample.labels, model.labels_), abs=1e-5)
    filled = swept("chi-sim-1", selection=samples.ALL_WORDS, filled=True)["scores"]["0.0"][0]
    assert filled == 1.0


@pytest.mark.parametrize("words", [whole.ALTERNATION, whole.RANDOM, whole.FREQUENT])
def test_words_are_chosen_in_other_ways(sample, words):
    assert swept("cosine", selection=words)["empty"] == 1
    selector = whole.SELECTIONS[words](0).set_params(n_words=4)
    support = selector.fit(sample.counts).get_support()
    assert support.sum() == 4
    assert np.array_equal(support, selector.fit(sample.counts).get_support())


def test_alternation_ends_with_the_medoids_of_their_classes():
    points = np.random.default_rng(0).normal(size=30)
    distances = np.square(points[:, None] - points)
    medoids = whole.alternate(distances, 4, 1)
    nearest = medoids[distances[:, medoids].argmin(axis=1)]
    for medoid in medoids:
        members = np.flatnonzero(nearest == medoid)
        sums = distances[np.ix_(members, members)].sum(axis=0)
        assert medoid == members[sums.argmin()]


@pytest.mark.usefixtures("sample")
def test_projections_are_diagnosed_beside_the_fit_without():
    found = compute(cell("grimal.projection.diagnosis", "M2/0", "-", exponent=1.0, pruning=0.0,
                         selection=samples.ALL_WORDS))  # fmt: skip
    assert found["smallest"] > -1e-5
    assert found["above_one"] == 0
    assert found["plain"] == found["projected"] == 1.0
    assert min(found["plain_seconds"], found["projected_seconds"]) > 0


def test_variants_of_ctk_differ_between_parts_of_the_graph_alone(sample):
    scores = compute(cell("grimal.walks.sweep", "M2/0", "-", selection=samples.ALL_WORDS))
    assert set(scores["scores"]) == {"a = 1", "a = 3", "a = 5", "a = 7", "a = 10", walks.HALF,
                                     walks.ONE_MINUS}  # fmt: skip
    assert scores["scores"]["a = 7"][0] > 0.9
    joined = sample.counts[:20]
    usual, half = CTK(2).fit(joined), walks.HalfBetweenParts(2).fit(joined)
    assert np.allclose(usual.document_similarity_, half.document_similarity_, atol=1e-6)
    apart = [[3, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 4]]
    assert walks.HalfBetweenParts(2).fit(apart).document_similarity_[0, 2] == 0.5
    assert CTK(2).fit(apart).document_similarity_[0, 2] == 0


def row(sample_name, name, precision, published=None, spread=0.01):
    values = {"precision": None if published is None else Value(published), "nmi": None}
    runs = [{"precision": precision + shift, "nmi": precision} for shift in (-spread, spread)]
    return Row(sample_name, name, runs, values)


def test_versions_must_compare_with_all_others_as_published():
    rows = [
        row("M2", "CTK", 0.94, 0.94), row("M2", "χ-Sim", 0.91, 0.91),
        row("M2", "χ-Sim 1", 0.93, 0.95),
    ]  # fmt: skip
    assert table2.all_as_published(rows) == {"χ-Sim on M2": True, "χ-Sim 1 on M2": False}
    assert table2.differing(rows).endswith("by the other method: CTK 1.")


@pytest.mark.parametrize(("new", "expected"), [(0.81, True), (0.83, False), (0.87, False)])
def test_pruning_gains_little_with_the_pseudo_norm(new, expected):
    values = {"χ-Sim": 0.7, "χ-Sim p": 0.75, "χ-Sim 1": 0.8, "χ-Sim 1 p": new}
    rows = [row(s, name, value) for s in ("M10", "M2") for name, value in values.items()]
    assert table2.pruning_gains(rows) == {"M10": expected}


def test_a_lower_exponent_helps_a_little_or_changes_little():
    rows = [row("M10", "χ-Sim 0.8", 0.79), row("M10", "χ-Sim 1", 0.78),
            row("M2", "χ-Sim 0.8", 0.95), row("M2", "χ-Sim 1", 0.98)]  # fmt: skip
    assert table2.small_gains(rows) == {"M10, Pr": True}
    assert table2.small_changes(rows) == {"M2": False}


def test_quoted_values_are_met_to_two_digits():
    assert table2.above_quoted([row("M2", table2.BEST, 0.9456)]) == {"M2, Pr": True}
    assert table2.above_quoted([row("M2", table2.BEST, 0.9436)]) == {"M2, Pr": False}
    assert table2.above_quoted([row("NG1", table2.BEST, 0.63)]) == {"NG1, NMI": False}


def test_statements_on_words_without_classes():
    values = {"Cosine": 0.5, "LSA": 0.6, "χ-Sim": 0.64, "χ-Sim 1": 0.4, "χ-Sim 0.8": 0.55,
              "χ-Sim 1 p": 0.7, table2.BEST: 0.71}  # fmt: skip
    rows = [row("NG2", name, value, 0.6) for name, value in values.items()]
    assert table3.below_cosine(rows) == {"χ-Sim 1 on NG2, Pr": True,
                                         "χ-Sim 0.8 on NG2, Pr": False}  # fmt: skip
    assert table3.like_lsa(rows) == {"NG2": True}
    assert table3.better_but_one(rows) == {"1 samples": True}
    before = [row("NG2", "Cosine", 0.6), row("NG2", "LSA", 0.65)]
    assert table3.smaller_gap(rows, before) == {"NG2": False}
    assert table3.smaller_gap(before, rows) == {"NG2": True}


def test_better_on_all_samples_but_one():
    gains = {"M2": 0.1, "M5": -0.1, "M10": -0.1}
    rows = [
        row(sample_name, name, 0.5 + (gain if name == table2.BEST else 0))
        for sample_name, gain in gains.items()
        for name in (table2.BEST, "χ-Sim 1 p")
    ]
    assert table3.better_but_one(rows) == {"3 samples": False}
    assert table3.better_but_one(rows[:4]) == {"2 samples": True}


def test_tables_treat_documents_without_words_as_they_say():
    scope = Scope(1)
    two, three = item("grimal-table2").plan(scope), item("grimal-table3").plan(scope)
    chi = [each for each in two if each.method == "chi-sim-0.8" and each.corpus == "NG2/0"]
    assert {(each.experiment, each.setting("filled")) for each in chi} == {
        ("grimal.samples.sweep", None),
        ("grimal.whole.sweep", None),
        ("grimal.whole.sweep", True),
    }
    usual = tables.draws(scope, "NG2", samples.MEDOIDS, "chi-sim-0.8")
    assert [each.experiment for each in usual] == ["grimal.whole.sweep"]
    assert set(usual) <= set(three)
    assert set(tables.draws(scope, "NG2", samples.MEDOIDS, "chi-sim-0.8", tables.APART)) <= set(
        three
    )
    pruned = tables.draws(scope, "NG1", samples.MEDOIDS, "chi-sim-0.8")
    assert set(pruned) <= set(item("grimal-figure2").plan(scope)) & set(three)


def test_the_figure_names_the_pruning_that_is_best():
    flat, rising = {0.0: 0.9, 0.6: 0.9}, {0.0: 0.8, 0.3: 0.9, 0.6: 0.85}
    curves = {("p", "k-medoids"): rising, ("k", "k-medoids"): {0.8: 0.9, 2.0: 0.5},
              ("p", "mutual information"): flat, ("p", tables.AT_08): rising}  # fmt: skip
    claims: dict[str, Claim] = {claim.text: claim for claim in tables._figure2_claims(curves)}
    held = [claim.holds for claim in claims.values()]
    assert held == [True, False, True, True]
    assert "The best is 30%." in next(c.reason for c in claims.values() if not c.holds)


def test_projections_are_judged_by_eigenvalue_precision_time_and_entries():
    good = {"smallest": -0.001, "above_one": 0.0, "plain": 0.9, "projected": 0.904,
            "plain_seconds": 1.0, "projected_seconds": 9.0}  # fmt: skip
    bad = {"smallest": -0.02, "above_one": 0.1, "plain": 0.9, "projected": 0.94,
           "plain_seconds": 1.0, "projected_seconds": 1.5}  # fmt: skip
    claims = table2.projection_claims({("M5", 0.0): [good], ("M5", 0.6): [bad]})
    assert len(claims) == 4
    for claim in claims:
        assert claim.verdicts == {"M5, p 0": True, "M5, p 0.6": False}
        assert "M5, p 0.6 -2.00% and +0.040" in claim.reason
