"""Configured instances of every public estimator, and what their classes say of them.

A law says which estimators it holds for by kinds: `@every(clusterer, assigns)`. Kinds are read
off the classes, so that a new estimator needs no more than an instance here.
"""

import inspect
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import get_tags

import coterie
from coterie.base import EMEstimator
from coterie.models.baselines import Baseline
from coterie.multiview.estimator import ViewsEstimator
from coterie.similarity.base import SimilarityEstimator
from planted import plant

SEED = {"random_state": 0}
FEW = {"random_state": 0, "n_init": 3}
_mixture = coterie.MultinomialMixture(3, n_init=2)

ESTIMATORS = [
    coterie.PLSA(3, **FEW),
    coterie.PLSA(3, 1.1, **FEW),
    coterie.MultinomialMixture(3, **FEW),
    coterie.MultinomialMixture(3, **FEW, hard=True, init="random"),
    coterie.MultinomialMixture(3, **FEW, background=0.25),
    coterie.ExtPLSA(3, 4, **FEW),
    coterie.TwoPLSA(3, 3, **FEW),
    coterie.ITCC(3, 3, **FEW),
    coterie.BVD(3, 3, **FEW, tol=1e-3),
    coterie.RSN(3, 3, "summary", **FEW),
    coterie.RSN(3, 3, "summary", "information", **FEW),
    coterie.RSN(3, 3, **FEW),
    coterie.VonMisesFisherMixture(3, init="dirichlet", **FEW),
    coterie.GibbsMixture(3, word_prior=0.5, max_iter=60, **SEED),
    coterie.LDCC(3, 3, max_iter=60, n_init=2, **SEED),
    coterie.ConceptClustering(3, 3, "cem", "mm", 1.1, **FEW),
    coterie.ConceptClustering(3, 3, "cem", "plsa", 1.1, **FEW),
    coterie.ConceptClustering(3, 3, "plsa", "mm", **FEW),
    coterie.ConceptClustering(3, 3, "plsa", "plsa", **FEW),
    coterie.ConceptSpace(3, "cem", 1.1, **FEW),
    coterie.ConceptSpace(3, "plsa", **FEW),
    coterie.KMeansBaseline(3, **FEW),
    coterie.KMeansBaseline(3, "counts", **FEW),
    coterie.LSABaseline(3, 5, **FEW),
    coterie.SpectralBaseline(3, **FEW),
    coterie.NMFBaseline(3, n_init=2, **SEED),
    coterie.NMFBaseline(3, "counts", n_init=2, **SEED),
    coterie.LDABaseline(3, max_iter=50, tol=1e-3, **SEED),
    coterie.ChiSim(3),
    coterie.ChiSim(3, n_word_clusters=3),
    coterie.Cosine(3),
    coterie.Cosine(3, n_neighbors=10),
    coterie.LSA(3, 5, **SEED),
    coterie.SNOS(3),
    coterie.CTK(3),
    coterie.ReducedVocabulary(_mixture, n_words=35, **SEED),
    coterie.HierarchicalSplits(_mixture, n_init=3, **SEED),
    coterie.IncrementalVocabulary(
        _mixture, vocabulary_sizes=[20, 40], n_init=4, n_kept=2, **SEED
    ),
    coterie.ConcPLSA(3, **FEW),
    coterie.FusionLM(3, **FEW),
    coterie.VotedPLSA(3, **FEW),
    coterie.VotedPLSA(3, vectors=["photo"], **FEW),
    coterie.VotedPLSA(3, ("plsa", "mm"), **FEW),
    coterie.VotedPLSA(3, ("mm", coterie.TwoPLSA(n_word_clusters=3)), **FEW),
    coterie.AutoClustering(
        3, growths=((20, 2),), ranks=(5,), n_votes=2, calibrated=False, **SEED
    ),
    coterie.MostFrequent(12),
    coterie.MedoidWords(12, **SEED),
    coterie.InformationGain(12),
    coterie.SupervisedMutualInformation(12),
    coterie.WordWeights(),
]


def public_classes():
    """Every public class that is an estimator."""
    public = [getattr(coterie, name) for name in coterie.__all__]
    return {
        each for each in public if isinstance(each, type) and issubclass(each, BaseEstimator)
    }


def name_of(estimator):
    """The class, and the settings that tell an instance from others of its class."""
    told = ("form", "divergence", "hard", "background", "concepts", "model", "method")
    told += ("weighting", "word_prior", "n_word_clusters", "n_neighbors", "vectors", "base")
    settings = [
        str(getattr(estimator, name))
        for name in told
        if any(
            getattr(other, name, None) != getattr(estimator, name, None)
            for other in ESTIMATORS
            if type(other) is type(estimator)
        )
    ]
    return "-".join([type(estimator).__name__, *settings])


# What classes say of their estimators.


def clusterer(estimator):
    return isinstance(estimator, ClusterMixin)


def selector(estimator):
    return isinstance(estimator, SelectorMixin)


def transforms(estimator):
    return hasattr(estimator, "transform")


def assigns(estimator):
    return hasattr(estimator, "predict")


def em(estimator):
    """Fitted by the one loop, itself: what surrounds other models is not."""
    return getattr(type(estimator), "_e_step", None) not in (None, EMEstimator._e_step)


def climbs(estimator):
    """Has an objective that its steps raise, and ends where they raise it no more."""
    return em(estimator) or isinstance(estimator, ViewsEstimator)


def takes_counts(estimator):
    return get_tags(estimator).input_tags.positive_only and not takes_views(estimator)


def takes_vectors(estimator):
    return not get_tags(estimator).input_tags.positive_only


def takes_sparse(estimator):
    return get_tags(estimator).input_tags.sparse and not takes_views(estimator)


def takes_views(estimator):
    return isinstance(estimator, ViewsEstimator)


def takes_matrix(estimator):
    return not takes_views(estimator)


def supervised(estimator):
    return get_tags(estimator).target_tags.required


def is_own(estimator):
    """Not a method of scikit-learn, whose ways are its own."""
    return not isinstance(estimator, Baseline)


def generative(estimator):
    """Gives documents that it was not fitted to a likelihood above zero."""
    if measures_similarity(estimator):
        return False
    return is_own(estimator) or isinstance(estimator, coterie.LDABaseline)


def mixes_word_clusters(estimator):
    """Clusters are mixes of word clusters; there is a table of them."""
    others = coterie.ExtPLSA, coterie.BVD, coterie.ChiSim  # pairs, least squares, similarities
    both = clusterer(estimator) and with_parameter("n_word_clusters")(estimator)
    return both and not isinstance(estimator, others)


def finds_words(estimator):
    """Words have clusters that data tell; topics of ExtPLSA leave its likelihood as it is."""
    return not takes_vectors(estimator) and not isinstance(estimator, coterie.ExtPLSA)


def measures_similarity(estimator):
    return isinstance(estimator, SimilarityEstimator)


def has(name):
    """Whether `fit` takes an argument of this name."""
    return lambda estimator: name in inspect.signature(estimator.fit).parameters


def with_parameter(name):
    """Whether the estimator has such a parameter."""
    return lambda estimator: name in estimator.get_params()


starts_anywhere = with_parameter("init")
restarts = with_parameter("n_init")


def without(kind):
    return lambda estimator: not kind(estimator)


def of(*kinds):
    """The estimators of all these kinds, of which there must be one."""
    chosen = [each for each in ESTIMATORS if all(kind(each) for kind in kinds)]
    assert chosen, "no estimator is of these kinds: the law would hold of nothing"
    return chosen


def every(*kinds):
    """Run a test for every estimator of all these kinds."""
    return pytest.mark.parametrize("estimator", of(*kinds), ids=name_of)


def one_of_each_class(estimators=ESTIMATORS):
    return list({type(each): each for each in reversed(estimators)}.values())


# Data in the form an estimator takes them: counts, dense vectors, or views.


def form(estimator, X):
    """Counts of 40 words as the estimator takes them."""
    if takes_views(estimator):
        views = {"en": X[:, : X.shape[1] // 2], "de": X[:, X.shape[1] // 2 :]}
        if estimator.vectors:
            views |= {name: X[:, ::2].toarray() for name in estimator.vectors}
        return views
    return X if takes_sparse(estimator) else X.toarray()


def each(change, X):
    """A change of a matrix, or of that of each view."""
    if isinstance(X, dict):
        return {name: change(matrix) for name, matrix in X.items()}
    return change(X)


def stack(matrices):
    """Documents one below the other, sparse or dense."""
    if sp.issparse(matrices[0]):
        return sp.vstack(matrices, format="csr")
    return np.vstack(matrices)


@cache
def corpus():
    """Counts of 60 documents of 40 words, with the clusters of both."""
    return plant(n_documents=60, n_words=40, n_clusters=3, length=40, seed=0)


def data(estimator):
    """The planted counts as the estimator takes them."""
    return form(estimator, corpus()[0])


def fit(estimator, X=None, y=None, /, **settings):
    """A fit of a clone to X, or to the planted counts, with other settings."""
    fitted = clone(estimator).set_params(**settings)
    X = data(estimator) if X is None else X
    if not supervised(estimator):
        return fitted.fit(X)
    return fitted.fit(X, corpus()[1] if y is None else y)


_fitted = {}


def fitted(estimator):
    """The fit to the planted counts, made once: not to be changed."""
    name = name_of(estimator)
    if name not in _fitted:
        _fitted[name] = fit(estimator)
    return _fitted[name]


def clusters(n, estimator):
    """The parameter for so many clusters: the model's own, or that of the model inside."""
    own = "n_clusters" if "n_clusters" in estimator.get_params() else "estimator__n_clusters"
    return {own: n}


def restarted(n, estimator):
    """The parameter for so many restarts, where there is one."""
    return {"n_init": n} if restarts(estimator) else {}


def without_prior(estimator):
    """Whether no prior is left when `flat` sets those it can."""
    return getattr(estimator, "model", None) != "mm"  # of concepts: the mixture's own prior


def flat(estimator):
    """Settings that leave out the prior of a model that has one."""
    flat_priors = {"word_prior": 1.0, "estimator__word_prior": 1.0}
    return {k: v for k, v in flat_priors.items() if k in estimator.get_params()}
