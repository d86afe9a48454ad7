"""The clustering methods by name: what the command line offers, and what each is good for."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from coterie.errors import InputError


@dataclass(frozen=True)
class Settings:
    """What a person may say of any method; a method takes what it knows.

    `start` None is the method's own; `n_word_clusters` None is twice the number of clusters,
    at least ten.
    """

    n_clusters: int
    seed: int = 0
    n_init: int = 1
    max_iter: int | None = None
    start: str | None = None
    n_word_clusters: int | None = None

    @property
    def words(self) -> int:
        return self.n_word_clusters or max(10, 2 * self.n_clusters)

    def loop(self, start: str | None = None) -> dict[str, Any]:
        """Settings of the one loop, and the start asked for or else `start`."""
        settings = {
            "n_init": self.n_init,
            "max_iter": self.max_iter,
            "random_state": self.seed,
            "init": self.start or start,
        }
        return {name: value for name, value in settings.items() if value is not None}

    def sampling(self, **others: Any) -> dict[str, Any]:
        """Settings of a chain, whose steps are sweeps."""
        settings = {"n_iter": self.max_iter, "random_state": self.seed, "init": self.start}
        settings |= others
        return {name: value for name, value in settings.items() if value is not None}


@dataclass(frozen=True)
class Method:
    """A named way of clustering."""

    name: str
    title: str
    reference: str
    good_for: str
    build: Callable[[Settings], Any]
    unused: tuple[str, ...] = ()

    @property
    def resumes(self) -> bool:
        """Tell whether a fit can go on from a checkpoint; samplers and libraries cannot."""
        return self.reference != LIBRARY and self.name not in ("mm-gibbs", "ldcc")

    def make(self, n_clusters: int, **settings: Any) -> Any:
        """An unfitted estimator for this many clusters.

        Examples
        --------
        >>> method("mm").make(3, seed=0)
        MultinomialMixture(init='kmeans', n_clusters=3, random_state=0)
        """
        return self.build(Settings(n_clusters, **settings))


def _mm(s: Settings) -> Any:
    from coterie.models.mixture import MultinomialMixture

    return MultinomialMixture(s.n_clusters, **s.loop("kmeans"))


def _plsa(s: Settings) -> Any:
    from coterie.models.plsa import PLSA

    return PLSA(s.n_clusters, **s.loop())


def _ext_plsa(s: Settings) -> Any:
    from coterie.models.ext_plsa import ExtPLSA

    return ExtPLSA(s.n_clusters, s.words, **s.loop())


def _two_plsa(s: Settings) -> Any:
    from coterie.models.two_plsa import TwoPLSA

    return TwoPLSA(s.n_clusters, s.words, **s.loop())


def _itcc(s: Settings) -> Any:
    from coterie.models.information import ITCC

    return ITCC(s.n_clusters, s.words, **s.loop())


def _ldcc(s: Settings) -> Any:
    from coterie.models.dirichlet import LDCC

    return LDCC(s.n_clusters, s.words, **s.sampling(n_init=s.n_init))


def _concepts(concepts: str, model: str) -> Callable[[Settings], Any]:
    def build(s: Settings) -> Any:
        from coterie.models.concepts import ConceptClustering

        prior = 1.1 if concepts == "cem" else 1.0  # else CEM hardly leaves its start
        settings = {"concept_prior": prior, **s.loop()}
        return ConceptClustering(s.n_clusters, s.words, concepts, model, **settings)

    return build


def _gibbs(s: Settings) -> Any:
    from coterie.models.gibbs import GibbsMixture

    return GibbsMixture(s.n_clusters, **s.sampling())


def _strategy(name: str) -> Callable[[Settings], Any]:
    def build(s: Settings) -> Any:
        from coterie import inference
        from coterie.models.mixture import MultinomialMixture

        settings = s.loop()
        del settings["random_state"]
        model = MultinomialMixture(s.n_clusters, **settings)
        runs = {} if name == "ReducedVocabulary" else {"n_runs": max(10, s.n_init)}
        return getattr(inference, name)(model, random_state=s.seed, **runs)

    return build


def _baseline(name: str) -> Callable[[Settings], Any]:
    def build(s: Settings) -> Any:
        from coterie.models import baselines

        steps = {} if s.max_iter is None else {"max_iter": s.max_iter}
        build = getattr(baselines, name)
        return build(s.n_clusters, n_init=s.n_init, random_state=s.seed, **steps)

    return build


LIBRARY = "library"
PESSIOT = "Pessiot, Kim, Amini, Gallinari"
RIGOUSTE = "Rigouste, Cappé, Yvon"
WORDLESS = ("mm", "mm-incremental", "mm-hierarchical", "mm-reduced", "mm-gibbs", "plsa")
UNUSED = {  # options of the command line that say nothing to a method
    "mm-gibbs": ("restarts",),
    "mm-incremental": ("start",),
    "mm-hierarchical": ("start",),
    "spectral": ("max_iter",),
}
METHODS = {
    name: Method(name, title, reference, good_for, build, (
        *UNUSED.get(name, ()),
        *(("start", "word_clusters") if reference == LIBRARY else ()),
        *(("word_clusters",) if name in WORDLESS else ()),
    ))
    for name, title, reference, good_for, build in (
        ("mm", "multinomial mixture", RIGOUSTE,
         "documents with one theme each; fast, firm assignments", _mm),
        ("mm-incremental", "mixture, vocabulary growing step by step", RIGOUSTE,
         "the best clusters a mixture finds, for some more time",
         _strategy("IncrementalVocabulary")),
        ("mm-hierarchical", "mixture, clusters split in two again and again", RIGOUSTE,
         "coarse groups that are divided", _strategy("HierarchicalSplits")),
        ("mm-reduced", "mixture on the 500 most frequent words", RIGOUSTE,
         "a first look, at once", _strategy("ReducedVocabulary")),
        ("mm-gibbs", "mixture by Gibbs sampling", RIGOUSTE,
         "averages over what is likely instead of one best guess", _gibbs),
        ("plsa", "probabilistic latent semantic analysis", PESSIOT,
         "documents that mix several themes", _plsa),
        ("ext-plsa", "PLSA with clusters of documents and topics of words", PESSIOT,
         "as PLSA, by another path to the same likelihood", _ext_plsa),
        ("2plsa", "soft co-clustering by two layers of PLSA", "Wang",
         "soft clusters of words too, and a table that links both", _two_plsa),
        ("itcc", "information-theoretic co-clustering", "Dhillon, Mallela, Modha",
         "hard clusters of documents and of words", _itcc),
        ("ldcc", "latent Dirichlet co-clustering", "Shafiei, Milios",
         "documents whose paragraphs differ in theme; slow", _ldcc),
        ("c-mm", "mixture on bags of concepts, found by CEM", PESSIOT,
         "firm groups, noisy vocabulary", _concepts("cem", "mm")),
        ("p-mm", "mixture on bags of concepts, found by PLSA", PESSIOT,
         "the same, other concepts", _concepts("plsa", "mm")),
        ("c-plsa", "PLSA on bags of concepts, found by CEM", PESSIOT,
         "mixed themes, noisy vocabulary", _concepts("cem", "plsa")),
        ("p-plsa", "PLSA on bags of concepts, found by PLSA", PESSIOT,
         "the same, other concepts", _concepts("plsa", "plsa")),
        ("kmeans", "k-means on tf-idf weights", LIBRARY, "comparison",
         _baseline("KMeansBaseline")),
        ("lsa-kmeans", "k-means after latent semantic analysis", LIBRARY, "comparison",
         _baseline("LSABaseline")),
        ("nmf", "non-negative matrix factorisation, Frobenius norm", LIBRARY, "comparison",
         _baseline("NMFBaseline")),
        ("lda", "latent Dirichlet allocation", LIBRARY, "comparison",
         _baseline("LDABaseline")),
        ("spectral", "spectral co-clustering", LIBRARY, "comparison",
         _baseline("SpectralBaseline")),
    )
}  # fmt: skip


def method(name: str) -> Method:
    """The method of that name.

    Examples
    --------
    >>> method("plsa").title
    'probabilistic latent semantic analysis'
    """
    if name not in METHODS:
        raise InputError(f"method {name!r}: not known; there are {', '.join(METHODS)}")
    return METHODS[name]
