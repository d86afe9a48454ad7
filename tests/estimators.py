"""One configured instance of every public estimator, for tests that sweep them."""

import pytest
from sklearn.base import clone

import coterie

ESTIMATORS = [
    coterie.PLSA(3, random_state=0, n_init=3),
    coterie.MultinomialMixture(3, random_state=0, n_init=3),
    coterie.MultinomialMixture(3, random_state=0, n_init=3, hard=True, init="random"),
    coterie.ExtPLSA(3, 4, random_state=0, n_init=3),
    coterie.TwoPLSA(3, 3, random_state=0, n_init=3),
    coterie.ITCC(3, 3, random_state=0, n_init=3),
    coterie.BVD(3, 3, random_state=0, n_init=3),
    coterie.RSN(3, 3, "summary", random_state=0, n_init=3),
    coterie.RSN(3, 3, "summary", "information", random_state=0, n_init=3),
    coterie.RSN(3, 3, random_state=0, n_init=3),
    coterie.MultinomialMixture(3, random_state=0, n_init=3, background=0.25),
]
plsa, mixture, _, ext_plsa, two_plsa, itcc, bvd, rsn, *_ = ESTIMATORS
even_plsa, even_ext_plsa, even_two_plsa, even_itcc, even_bvd, even_rsn = (
    clone(model).set_params(init="dirichlet")
    for model in (plsa, ext_plsa, two_plsa, itcc, bvd, rsn)
)
PARAMETERS = [  # every own parameter of every model, with a value that must change the fit
    (plsa, "n_clusters", 4),
    (plsa, "word_prior", 1.5),
    (plsa, "init", [i % 3 for i in range(60)]),
    (even_plsa, "init", coterie.Dirichlet(50.0)),
    (mixture, "n_clusters", 4),
    (mixture, "cluster_prior", 5.0),
    (mixture, "word_prior", 2.0),
    (mixture, "hard", True),
    (mixture, "init", "random"),
    (mixture, "init", coterie.Dirichlet(50.0)),
    (mixture, "background", 0.25),
    (ext_plsa, "n_clusters", 4),
    (ext_plsa, "n_word_clusters", 2),
    (ext_plsa, "init", "kmeans"),
    (even_ext_plsa, "init", coterie.Dirichlet(50.0)),
    (two_plsa, "n_clusters", 4),
    (two_plsa, "n_word_clusters", 5),
    (two_plsa, "init", "kmeans"),
    (even_two_plsa, "init", coterie.Dirichlet(50.0)),
    (itcc, "n_clusters", 4),
    (itcc, "n_word_clusters", 5),
    (itcc, "init", "kmeans"),
    (even_itcc, "init", coterie.Dirichlet(50.0)),
    (bvd, "n_clusters", 4),
    (bvd, "n_word_clusters", 5),
    (bvd, "weighting", "share"),
    (bvd, "init", "kmeans"),
    (even_bvd, "init", coterie.Dirichlet(50.0)),
    (rsn, "n_clusters", 4),
    (rsn, "n_word_clusters", 5),
    (rsn, "form", "spectral"),
    (rsn, "divergence", "information"),
    (rsn, "weighting", "counts"),
    (rsn, "init", "kmeans"),
    (even_rsn, "init", coterie.Dirichlet(50.0)),
]


def name_of(estimator):
    kinds = [getattr(estimator, name, "") for name in ("form", "divergence")]
    kinds += [name for name in ("hard", "background") if getattr(estimator, name, False)]
    return "-".join(filter(None, [type(estimator).__name__, *kinds]))


every_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
