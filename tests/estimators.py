"""One configured instance of every public estimator, for tests that sweep them."""

import pytest
from sklearn.base import clone

import coterie

ESTIMATORS = [
    coterie.PLSA(3, random_state=0, n_init=3),
    coterie.MultinomialMixture(3, random_state=0, n_init=3),
    coterie.MultinomialMixture(3, random_state=0, n_init=3, hard=True, init="random"),
]
plsa, mixture, hard_mixture = ESTIMATORS
even_plsa = clone(plsa).set_params(init="dirichlet")
PARAMETERS = [  # every own parameter of every model, with a value that must change the fit
    (plsa, "n_components", 4),
    (plsa, "theta_beta", 1.5),
    (plsa, "init", [i % 3 for i in range(60)]),
    (even_plsa, "concentration", 50.0),
    (mixture, "n_clusters", 4),
    (mixture, "theta_alpha", 5.0),
    (mixture, "theta_beta", 2.0),
    (mixture, "hard", True),
    (mixture, "init", "random"),
    (mixture, "concentration", 50.0),
]


def name_of(estimator):
    hard = getattr(estimator, "hard", False)
    return f"{type(estimator).__name__}{'-hard' if hard else ''}"


every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
