"""The Gibbs sampler, step by step; that it draws from its posterior: tests/test_samplers.py."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from coterie import GibbsMixture, InputError
from coterie.models.gibbs import draw_clusters, draw_parameters, posteriors
from coterie.types import Counts


def test_posteriors_are_equation_two(X):
    rng = np.random.default_rng(0)
    draw = draw_parameters(X, rng.integers(3, size=60), 3, 1.0, 0.5, rng)
    q, objective = posteriors(X, draw)
    x, total = X.toarray(), 0.0
    for d in range(60):
        joint = [draw.alpha[t] * np.prod(draw.beta[:, t] ** x[d]) for t in range(3)]
        assert_allclose(q[d], np.array(joint) / sum(joint), rtol=1e-6, atol=1e-12)
        total += np.log(sum(joint))
    assert_allclose(objective, total)


def test_clusters_are_drawn_by_their_probabilities():
    memberships = np.tile([0.2, 0.0, 0.5, 0.3], (40_000, 1))
    labels = draw_clusters(memberships, np.random.default_rng(0))
    assert_allclose(np.bincount(labels, minlength=4) / 40_000, [0.2, 0, 0.5, 0.3], atol=0.01)


def test_empty_documents_do_not_count_in_the_shares():
    counts = np.vstack([[[2.0, 1.0], [1.0, 3.0]], np.zeros((500, 2))])
    labels, rng = np.array([1, 1, *[0] * 500]), np.random.default_rng(0)
    draws = [draw_parameters(Counts(counts), labels, 2, 1.0, 1.0, rng) for _ in range(2000)]
    assert_allclose(np.mean([draw.alpha for draw in draws], axis=0), [1 / 4, 3 / 4], atol=0.02)


def test_the_chain_climbs_to_its_mode(X):
    fitted = GibbsMixture(3, word_prior=0.5, max_iter=200, random_state=0).fit(X)
    assert len(fitted.history_) == fitted.n_iter_ == 200
    assert fitted.history_[-50:].mean() > fitted.history_[:5].mean()


def test_burn_in_is_left_out():
    X = Counts(np.array([[5.0, 0], [0, 5]]))
    late = GibbsMixture(2, max_iter=10, burn_in=0.9, init=[0, 1], random_state=0).fit(X)
    whole = GibbsMixture(2, max_iter=10, burn_in=0.0, init=[0, 1], random_state=0).fit(X)
    assert_array_equal(late.history_, whole.history_)
    assert not np.allclose(late.components_, whole.components_)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("burn_in", 1.0), ("max_iter", 0), ("word_prior", 0.0), ("cluster_prior", np.inf)],
)
def test_bad_parameters_are_named(parameter, value, X):
    with pytest.raises(InputError, match=f"^{parameter}={value}"):
        GibbsMixture(3, **{parameter: value}).fit(X)
