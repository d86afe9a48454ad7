"""The clustering methods by name: what each is, what it is good for, and what it can do."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

import coterie
from coterie.errors import InputError, nearest

if TYPE_CHECKING:
    from coterie.memory import Size

AUTO = "auto"
KMEANS = "kmeans"
COUNTS_FOR_ONE_RESTART = 2_000_000
LEAST_RUNS = 10
"""Runs of each step of a strategy, where fewer are asked for."""


@dataclass(frozen=True)
class Settings:
    """What can be chosen for every method; each takes what it has parameters for.

    None stands for the default of the method.
    """

    n_clusters: Any
    seed: int = 0
    n_init: int = 1
    max_iter: int | None = None
    init: str | None = None
    n_word_clusters: int | None = None

    def parameters(self) -> dict[str, Any]:
        """The settings that are chosen, by the names of the estimators' parameters."""
        chosen = {**vars(self), "random_state": self.seed}
        return {name: value for name, value in chosen.items() if value is not None}


Build = Callable[[Settings], Any]


@dataclass(frozen=True)
class Method:
    """A named way of clustering; docs/bibliography.md holds its `reference` in full."""

    name: str
    title: str
    reference: str
    good_for: str
    build: Build
    has_word_clusters: bool = False
    takes_views: bool = False
    needs_views: bool = False
    resumes: bool = True
    """Whether a fit continues from a checkpoint."""
    ignores: tuple[str, ...] = ()
    """Options without effect, beside `word_clusters` of a method that has none."""

    @property
    def learns_online(self) -> bool:
        """Whether documents can be learned from in batches.

        Examples
        --------
        >>> method("plsa").learns_online, method("kmeans").learns_online
        (True, False)
        """
        return hasattr(self.make(2), "fit_online")

    @property
    def unused(self) -> tuple[str, ...]:
        """All options without effect.

        Examples
        --------
        >>> method("mm-gibbs").unused
        ('n_init', 'word_clusters')
        """
        return self.ignores if self.has_word_clusters else (*self.ignores, "word_clusters")

    def make(self, n_clusters: Any, **settings: Any) -> Any:
        """An unfitted estimator for this number of clusters; `auto` also takes "auto".

        Examples
        --------
        >>> method("mm").make(3, seed=0)
        MultinomialMixture(init='kmeans', n_clusters=3, random_state=0)
        """
        return self.build(Settings(n_clusters, **settings))


def _estimator(name: str, **defaults: Any) -> Build:
    """Build the estimator of that name, with the method's defaults."""
    return lambda settings: _made(name, defaults | settings.parameters())


def _coclustering(name: str, **defaults: Any) -> Build:
    """Build an estimator with twice as many clusters of words as of documents, at least 10."""

    def build(settings: Settings) -> Any:
        n_word_clusters = max(10, 2 * settings.n_clusters)
        chosen = {"n_word_clusters": n_word_clusters} | defaults | settings.parameters()
        return _made(name, chosen)

    return build


def _concepts(concepts: str, model: str) -> Build:
    """Build a model on bags of concepts; without its prior, CEM stops at a poor optimum."""
    prior = 1.1 if concepts == "cem" else 1.0
    settings = {"concepts": concepts, "model": model, "concept_prior": prior}
    return _coclustering("ConceptClustering", **settings)


def _strategy(name: str) -> Build:
    """Build a strategy around a multinomial mixture; the seed is the strategy's."""

    def build(settings: Settings) -> Any:
        chosen = settings.parameters()
        model = _made("MultinomialMixture", chosen | {"random_state": None})
        n_init = max(LEAST_RUNS, settings.n_init)
        return _made(name, chosen | {"estimator": model, "n_init": n_init})

    return build


def _of_views(name: str) -> Build:
    """Build an estimator of several views, each of them clustered by PLSA first."""

    def build(settings: Settings) -> Any:
        chosen = settings.parameters()
        of_each_view = {"init": KMEANS} | chosen | {"random_state": None}
        del of_each_view["n_clusters"]
        return _made(name, chosen | {"base": _made("PLSA", of_each_view)})

    return build


def _made(name: str, settings: dict[str, Any]) -> Any:
    """The estimator of that name, with those settings that it has parameters for."""
    estimator = getattr(coterie, name)
    known = signature(estimator).parameters
    return estimator(**{each: value for each, value in settings.items() if each in known})


PESSIOT = "Pessiot et al."
GRIMAL = "Grimal and Bisson (2011)"
RIGOUSTE = "Rigouste, Cappé and Yvon"
KIM = "Kim et al. (2010)"
SCIKIT_LEARN = "scikit-learn"

_WORDS: dict[str, Any] = {"has_word_clusters": True}
_VIEWS: dict[str, Any] = {"takes_views": True, "needs_views": True}
_TREE: dict[str, Any] = {"resumes": False, "ignores": ("n_init", "init")}
_TREE_AT_ONCE: dict[str, Any] = {"resumes": False, "ignores": ("n_init", "init", "max_iter")}
_BASELINE: dict[str, Any] = {"resumes": False, "ignores": ("init",)}
_BASELINE_AT_ONCE: dict[str, Any] = {"resumes": False, "ignores": ("init", "max_iter")}

_ALL = (
    Method(AUTO, "consensus of many candidates, refined by a mixture", "Coterie",
           "nearly everything; also estimates the number of clusters",
           _estimator("AutoClustering"), takes_views=True, ignores=("n_init", "init")),
    Method("mm", "multinomial mixture", RIGOUSTE,
           "documents with one theme each; fast",
           _estimator("MultinomialMixture", init=KMEANS)),
    Method("mm-incremental", "mixture on a vocabulary that grows", RIGOUSTE,
           "better clusters than mm, for more time",
           _strategy("IncrementalVocabulary"), ignores=("init",)),
    Method("mm-hierarchical", "mixture whose clusters are split in two", RIGOUSTE,
           "coarse clusters that are divided",
           _strategy("HierarchicalSplits"), ignores=("init",)),
    Method("mm-reduced", "mixture on the 500 most frequent words", RIGOUSTE,
           "a first impression, at once", _strategy("ReducedVocabulary")),
    Method("mm-gibbs", "mixture by Gibbs sampling", RIGOUSTE,
           "memberships averaged over the posterior",
           _estimator("GibbsMixture"), resumes=False, ignores=("n_init",)),
    Method("plsa", "probabilistic latent semantic analysis", "Hofmann (1999)",
           "documents that mix several themes", _estimator("PLSA")),
    Method("ext-plsa", "PLSA with clusters of documents and topics of words", PESSIOT,
           "as PLSA, by another path to the same likelihood",
           _coclustering("ExtPLSA", init=KMEANS), **_WORDS),
    Method("2plsa", "soft co-clustering by two layers of PLSA", "Wang",
           "soft clusters of documents and of words, and a table between them",
           _coclustering("TwoPLSA"), **_WORDS),
    Method("itcc", "information-theoretic co-clustering", "Dhillon, Mallela and Modha (2003)",
           "hard clusters of documents and of words", _coclustering("ITCC"), **_WORDS),
    Method("bvd", "block value decomposition", "Long, Zhang and Yu (2005)",
           "clusters of documents and of words, a weight for each pair",
           _coclustering("BVD"), **_WORDS),
    Method("rsn", "relation summary network", "Long et al. (2006)",
           "hard clusters of documents and of words, one value a block",
           _coclustering("RSN"), **_WORDS),
    Method("cosine", "tree by the cosine of documents", "Salton (1971)",
           "comparison", _estimator("Cosine"), **_TREE_AT_ONCE),
    Method("lsa", "tree by the cosine after latent semantic analysis",
           "Deerwester et al. (1990)", "comparison", _estimator("LSA"), **_TREE_AT_ONCE),
    Method("snos", "tree by similarities in a non-orthogonal space", "Liu et al. (2004)",
           "comparison", _estimator("SNOS"), **_TREE),
    Method("ctk", "tree by the sigmoid commute-time kernel", "Yen et al. (2009)",
           "comparison", _estimator("CTK"), **_TREE_AT_ONCE),
    Method("chi-sim", "tree by co-similarity, normalised by lengths",
           "Bisson and Hussain (2008)", "comparison",
           _estimator("ChiSim", norm="l1", exponent=1.0), **_WORDS, **_TREE),
    Method("chi-sim-p", "chi-sim with weak similarities pruned", GRIMAL,
           "comparison",
           _estimator("ChiSim", norm="l1", exponent=1.0, pruning=0.6), **_WORDS, **_TREE),
    Method("chi-sim-k", "tree by co-similarity with a pseudo-norm", GRIMAL,
           "some thousand documents, selected words",
           _estimator("ChiSim"), **_WORDS, **_TREE),
    Method("chi-sim-pk", "chi-sim-k with weak similarities pruned", GRIMAL,
           "some thousand short documents, any words",
           _estimator("ChiSim", pruning=0.2, max_iter=2, weighted=True), **_WORDS, **_TREE),
    Method("ldcc", "latent Dirichlet co-clustering", "Shafiei and Milios (2006)",
           "documents whose paragraphs differ in theme; slow",
           _coclustering("LDCC"), **_WORDS, resumes=False),
    Method("c-mm", "mixture on bags of concepts, learned by CEM", PESSIOT,
           "one theme each, noisy vocabulary", _concepts("cem", "mm"), **_WORDS),
    Method("p-mm", "mixture on bags of concepts, learned by PLSA", PESSIOT,
           "one theme each, noisy vocabulary", _concepts("plsa", "mm"), **_WORDS),
    Method("c-plsa", "PLSA on bags of concepts, learned by CEM", PESSIOT,
           "mixed themes, noisy vocabulary", _concepts("cem", "plsa"), **_WORDS),
    Method("p-plsa", "PLSA on bags of concepts, learned by PLSA", PESSIOT,
           "mixed themes, noisy vocabulary", _concepts("plsa", "plsa"), **_WORDS),
    Method("voted-plsa", "PLSA from the votes of several views", KIM,
           "documents in several languages, or with embeddings",
           _of_views("VotedPLSA"), **_VIEWS, resumes=False),
    Method("conc-plsa", "PLSA on several views side by side", KIM,
           "several views, without votes", _estimator("ConcPLSA", init=KMEANS), **_VIEWS),
    Method("fusion-lm", "PLSA on the memberships of each view",
           "Bruno and Marchand-Maillet (2009)", "views of very different length",
           _of_views("FusionLM"), **_VIEWS, resumes=False),
    Method("kmeans", "k-means on tf-idf weights", SCIKIT_LEARN,
           "comparison", _estimator("KMeansBaseline"), **_BASELINE),
    Method("lsa-kmeans", "k-means after latent semantic analysis", SCIKIT_LEARN,
           "comparison", _estimator("LSABaseline"), **_BASELINE),
    Method("nmf", "non-negative matrix factorisation, Frobenius norm", SCIKIT_LEARN,
           "comparison", _estimator("NMFBaseline"), **_BASELINE),
    Method("lda", "latent Dirichlet allocation", SCIKIT_LEARN,
           "comparison", _estimator("LDABaseline"), **_BASELINE),
    Method("spectral", "spectral co-clustering", SCIKIT_LEARN,
           "comparison", _estimator("SpectralBaseline"), **_BASELINE_AT_ONCE),
)  # fmt: skip
METHODS = {each.name: each for each in _ALL}


def methods_that_fit(
    size: "Size", allowed: int, n_clusters: int, *, has_views: bool = False
) -> list[Method]:
    """The methods that need no more memory than is allowed, for data of this size.

    Examples
    --------
    >>> from coterie.memory import Size
    >>> size = Size(n_documents=20_000, n_words=5_000, n_nonzero=10**6)
    >>> [each.name for each in methods_that_fit(size, 60 << 20, 20)][:2]
    ['mm', 'mm-reduced']
    """
    suited = (
        each for each in _ALL if (each.takes_views if has_views else not each.needs_views)
    )
    return [each for each in suited if each.make(n_clusters)._needed_bytes(size) <= allowed]


def usual_restarts(corpus: Any) -> int:
    """Restarts where none are asked for: ten, fewer for large collections."""
    n_counts = int(sum(view.counts.nnz for view in corpus.views.values()))
    return max(1, min(10, COUNTS_FOR_ONE_RESTART // max(n_counts, 1)))


def method(name: str) -> Method:
    """The method of that name.

    Examples
    --------
    >>> method("plsa").title
    'probabilistic latent semantic analysis'
    """
    if name not in METHODS:
        near = nearest(str(name), METHODS)
        more = f".{near}" if near else f"; there are {', '.join(METHODS)}"
        raise InputError(f"method {name!r}: not known{more}")
    return METHODS[name]
