"""The curves of Rigouste, Cappé and Yvon are those of the models, step by step."""

import numpy as np
import pytest

from coterie import IncrementalVocabulary, MultinomialMixture
from coterie.evaluation import mi_f_score
from coterie_papers.cells import cell, compute
from coterie_papers.rigouste import curves


def em(method="dirichlet", **settings):
    return cell("rigouste.curves.em", "four-groups", method, 5, fold=1, steps=6, **settings)


def test_folds_are_disjoint_and_together_everything(planted):
    sizes = [[len(part.labels) for part in curves.folds(em(n_words=None))] for _ in (0,)]
    (train, test) = sizes[0]
    assert train + test == len(planted.labels)
    assert test == pytest.approx(train / 3, abs=2)


@pytest.mark.usefixtures("planted")
def test_the_curve_ends_where_a_fit_of_as_many_steps_ends():
    each = em()
    found = compute(each)
    train, test = curves.folds(each)
    rng = np.random.default_rng(5)
    q = rng.dirichlet(np.full(4, curves.CLOSE_TO_EQUAL), size=len(train.labels))
    model = MultinomialMixture(4, init=q, max_iter=6, tol=0).fit(train.counts)
    assert len(found["likelihood"]) == 6
    assert found["likelihood"][-1] == pytest.approx(model.log_likelihood(train.counts))
    assert found["perplexity"][-1] == pytest.approx(model.perplexity(test.counts))
    expected = mi_f_score(test.labels, model.predict_proba(test.counts))
    assert found["f_score"][-1] == pytest.approx(expected)


@pytest.mark.usefixtures("planted")
def test_likelihood_with_the_prior_never_falls_from_any_start():
    for method in ("dirichlet", "labels", "kmeans"):
        found = compute(em(method))
        assert np.all(np.diff(found["perplexity"][:2]) < 1e-6) or method != "dirichlet"
        assert found["likelihood"][-1] >= found["likelihood"][0] - 1e-6


@pytest.mark.usefixtures("planted")
def test_the_start_from_the_classes_knows_them():
    assert compute(em("labels"))["f_score"][0] > 0.9


@pytest.mark.usefixtures("planted")
def test_the_unigram_perplexity_is_that_of_the_words_shares():
    each = em()
    train, test = curves.folds(each)
    totals = train.counts.toarray().sum(axis=0) + 0.1
    logs = np.log(totals / totals.sum())
    dense = test.counts.toarray()
    expected = np.exp(-(dense * logs).sum() / dense.sum())
    assert compute(each)["unigram"] == pytest.approx(expected)


@pytest.mark.usefixtures("planted")
def test_fewer_words_are_the_most_frequent():
    train, test = curves._reduced(*curves.folds(em()), 10)
    assert train.counts.shape[1] == test.counts.shape[1] == 10
    assert len(compute(em(n_words=10))["f_score"]) == 6


@pytest.mark.usefixtures("planted")
def test_steps_of_the_growing_vocabulary_are_those_of_one_search():
    each = cell("rigouste.curves.incremental", "four-groups", "growing", 3, fold=0,
                sizes=(20, 40), runs=4, kept=2, concentration=50.0)  # fmt: skip
    found = compute(each)
    assert found["sizes"] == [20, 40, 60]
    train, _ = curves.folds(each)
    search = IncrementalVocabulary(
        MultinomialMixture(4),
        vocabulary_sizes=[20, 40, 60],
        n_init=4,
        n_kept=2,
        concentration=50.0,
        random_state=3,
    ).fit(train.counts)
    assert found["likelihood"][-1] == pytest.approx(search.log_likelihood(train.counts))
    smaller, _ = curves._reduced(*curves.folds(each), 40)
    shorter = IncrementalVocabulary(
        MultinomialMixture(4),
        vocabulary_sizes=[20, 40],
        n_init=4,
        n_kept=2,
        concentration=50.0,
        random_state=3,
    ).fit(smaller.counts)
    for mine, whole in zip(shorter.trace_, search.trace_, strict=False):
        assert np.allclose(mine, whole)


@pytest.mark.usefixtures("planted")
def test_splits_go_from_two_themes_to_four():
    each = cell("rigouste.curves.hierarchical", "four-groups", "splits", 2, fold=0, steps=12)
    found = compute(each)
    assert len(found["likelihood"]) == 12
    assert found["likelihood"][-1] > found["likelihood"][5]


@pytest.mark.usefixtures("planted")
def test_gibbs_draws_are_looked_at_now_and_then():
    each = cell("rigouste.curves.gibbs", "four-groups", "gibbs", 2, fold=0, sweeps=40, every=20)
    found = compute(each)
    assert found["sweeps"] == [1, 20, 40]
    assert found["likelihood"][-1] > found["likelihood"][0]
    assert all(0 <= score <= 1 for score in found["f_score"])


@pytest.mark.usefixtures("planted")
def test_the_search_has_the_runs_asked_for(monkeypatch):
    seen = []

    class Recorded(IncrementalVocabulary):
        def fit(self, X):
            seen.append((self.n_init, self.n_kept, self.concentration, self.random_state))
            return super().fit(X)

    monkeypatch.setattr(curves, "IncrementalVocabulary", Recorded)
    compute(cell("rigouste.curves.incremental", "four-groups", "growing", 3, fold=0,
                 sizes=(20,), runs=4, kept=2, concentration=50.0))  # fmt: skip
    assert seen == [(4, 2, 50.0, 3)] * 2
