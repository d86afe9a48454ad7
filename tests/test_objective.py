"""The objective of every model fitted by EM never falls, whatever the seed.

Falls are of rounding only: at most 1e-12 of the objective in double precision, 1e-6 in single.
A few seeds in each run of the tests, a hundred in `make soak`.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import coterie
from estimators import ESTIMATORS, climbs, each, form, has, name_of, restarts

SHORT = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SLACK = {"float64": 1e-12, "float32": 1e-6}
PRIORS = [
    coterie.MultinomialMixture(3, 2.5, 1.7),
    coterie.MultinomialMixture(3, 1.5, 1.2, hard=True),
    coterie.MultinomialMixture(3, 1.5, 2.0, background=0.3),
    coterie.PLSA(3, 1.6),
    coterie.ExtPLSA(3, 4, init="random"),
    coterie.ConceptClustering(3, 3, "cem", "mm", 1.8),
    coterie.VonMisesFisherMixture(3, init="random"),
]
MODELS = [estimator for estimator in ESTIMATORS if climbs(estimator)] + PRIORS
NAMES = [name_of(model) for model in MODELS[: -len(PRIORS)]]
NAMES += [f"prior-{number}-{type(model).__name__}" for number, model in enumerate(PRIORS)]
every_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)


def counts(seed):
    """Counts with clusters that overlap, rare words and a document without words."""
    rng = np.random.default_rng(seed)
    words = rng.dirichlet(np.full(24, 0.3), size=3)
    lengths = rng.integers(1, 30, size=40)
    table = np.array([rng.multinomial(n, words[rng.integers(3)]) for n in lengths])
    table[rng.integers(40)] = 0
    return sp.csr_array(table.astype(np.float64))


def largest_fall(model, seed, dtype):
    """The largest fall of the objective, as a share of it; with weights on odd seeds."""
    X = each(lambda matrix: matrix.astype(dtype), form(model, counts(seed)))
    settings = {"random_state": seed, "max_iter": 40, "tol": 0.0}
    fresh = clone(model).set_params(**settings, **({"n_init": 1} if restarts(model) else {}))
    weights = np.random.default_rng(seed).integers(4, size=40) / 2
    weighted = {"sample_weight": weights} if has("sample_weight")(model) and seed % 2 else {}
    history = fresh.fit(X, **weighted).history_
    falls = -np.diff(history) / np.maximum(np.abs(history[1:]), 1e-300)
    return max(falls, default=0.0)


@SHORT
@every_model
@pytest.mark.parametrize("dtype", SLACK)
def test_objective_never_falls(model, dtype):
    assert max(largest_fall(model, seed, dtype) for seed in range(2)) <= SLACK[dtype]


@SHORT
def test_an_objective_near_zero_does_not_fall_either():
    """Log-probabilities of words and log-densities of vectors nearly cancel for this seed."""
    model = MODELS[NAMES.index("VotedPLSA-['photo']-plsa")]
    assert largest_fall(model, 35, "float32") <= SLACK["float32"]


@pytest.mark.soak
@SHORT
@every_model
@pytest.mark.parametrize("dtype", SLACK)
def test_objective_never_falls_from_a_hundred_seeds(model, dtype):
    worst = max(largest_fall(model, seed, dtype) for seed in range(100))
    print(f"largest fall of {worst:.1e} in 100 seeds")
    assert worst <= SLACK[dtype]
