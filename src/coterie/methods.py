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

    n_clusters: Any
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
        settings = {"max_iter": self.max_iter, "random_state": self.seed, "init": self.start}
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
        return self.reference != LIBRARY and self.name not in UNRESUMED

    @property
    def needs_views(self) -> bool:
        """Tell whether it clusters documents by several views of each only."""
        return self.reference == KIM

    @property
    def takes_views(self) -> bool:
        """Tell whether it can cluster documents by several views of each, or vectors."""
        return self.needs_views or self.name == AUTO

    def make(self, n_clusters: Any, **settings: Any) -> Any:
        """An unfitted estimator for this many clusters; `auto` also for "auto" of them.

        Examples
        --------
        >>> method("mm").make(3, seed=0)
        MultinomialMixture(init='kmeans', n_clusters=3, random_state=0)
        """
        return self.build(Settings(n_clusters, **settings))


def _auto(s: Settings) -> Any:
    from coterie.automatic import AutoClustering

    steps: dict[str, Any] = {} if s.max_iter is None else {"max_iter": s.max_iter}
    return AutoClustering(s.n_clusters, random_state=s.seed, **steps)


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


def _bvd(s: Settings) -> Any:
    from coterie.models.block_values import BVD

    return BVD(s.n_clusters, s.words, **s.loop())


def _rsn(s: Settings) -> Any:
    from coterie.models.summary_network import RSN

    return RSN(s.n_clusters, s.words, **s.loop())


def _similarity(name: str, **options: Any) -> Callable[[Settings], Any]:
    def build(s: Settings) -> Any:
        from coterie import similarity

        given: dict[str, Any] = {"random_state": s.seed} if name == "LSA" else {}
        if s.max_iter is not None:
            given["max_iter"] = s.max_iter
        if name == "ChiSim":
            given["n_word_clusters"] = s.n_word_clusters
        return getattr(similarity, name)(s.n_clusters, **options, **given)

    return build


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
        runs = {} if name == "ReducedVocabulary" else {"n_init": max(10, s.n_init)}
        return getattr(inference, name)(model, random_state=s.seed, **runs)

    return build


def _views(name: str) -> Callable[[Settings], Any]:
    def build(s: Settings) -> Any:
        from coterie import multiview
        from coterie.models.plsa import PLSA

        settings = s.loop("kmeans")
        start = settings.pop("init")
        steps = {key: value for key, value in settings.items() if key != "random_state"}
        first = start if name == "ConcPLSA" else PLSA(init=start, **steps)
        return getattr(multiview, name)(s.n_clusters, first, **settings)

    return build


def _baseline(name: str) -> Callable[[Settings], Any]:
    def build(s: Settings) -> Any:
        from coterie.models import baselines

        steps = {} if s.max_iter is None else {"max_iter": s.max_iter}
        build = getattr(baselines, name)
        return build(s.n_clusters, n_init=s.n_init, random_state=s.seed, **steps)

    return build


AUTO = "auto"
LIBRARY = "library"
KIM = "Kim, Amini, Goutte, Gallinari"
CHI_SIM = ("chi-sim", "chi-sim-p", "chi-sim-k", "chi-sim-pk")
SIMILARITIES = ("cosine", "lsa", "snos", "ctk", *CHI_SIM)
UNRESUMED = ("mm-gibbs", "ldcc", "voted-plsa", "fusion-lm", *SIMILARITIES)
GRIMAL = "Grimal, Bisson"
PESSIOT = "Pessiot, Kim, Amini, Gallinari"
RIGOUSTE = "Rigouste, Cappé, Yvon"
WORDLESS = ("mm", "mm-incremental", "mm-hierarchical", "mm-reduced", "mm-gibbs", "plsa")
UNUSED = {  # options of the command line that say nothing to a method
    AUTO: ("restarts", "start", "word_clusters"),
    "mm-gibbs": ("restarts",),
    "mm-incremental": ("start",),
    "mm-hierarchical": ("start",),
    "spectral": ("max_iter",),
    "cosine": ("max_iter",),
    "lsa": ("max_iter",),
    "ctk": ("max_iter",),
}
METHODS = {
    name: Method(name, title, reference, good_for, build, (
        *UNUSED.get(name, ()),
        *(("start", "word_clusters") if reference == LIBRARY else ()),
        *(("start", "restarts") if name in SIMILARITIES else ()),
        *(("word_clusters",) if name in SIMILARITIES and name not in CHI_SIM else ()),
        *(("word_clusters",) if name in WORDLESS or reference == KIM else ()),
    ))
    for name, title, reference, good_for, build in (
        (AUTO, "what many candidates agree on, refined by a mixture", "all of these",
         "nearly everything; also finds how many clusters there are", _auto),
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
        ("bvd", "block value decomposition", "Long, Zhang, Yu",
         "clusters of documents and of words, and how strongly each pair is tied", _bvd),
        ("rsn", "relation summary network", "Long, Wu, Zhang, Yu",
         "hard clusters of documents and of words, blocks of one value", _rsn),
        ("cosine", "tree by the cosine of documents", GRIMAL,
         "comparison", _similarity("Cosine")),
        ("lsa", "tree by the cosine after latent semantic analysis", GRIMAL,
         "comparison", _similarity("LSA")),
        ("snos", "tree by similarities in a space that is not orthogonal", GRIMAL,
         "comparison", _similarity("SNOS")),
        ("ctk", "tree by the sigmoid commute-time kernel", GRIMAL,
         "comparison", _similarity("CTK")),
        ("chi-sim", "tree by co-similarity, normalised by lengths", GRIMAL,
         "comparison", _similarity("ChiSim", norm="l1", exponent=1.0)),
        ("chi-sim-p", "the same, weak similarities pruned", GRIMAL,
         "comparison", _similarity("ChiSim", norm="l1", exponent=1.0, pruning=0.6)),
        ("chi-sim-k", "tree by co-similarity, pseudo-norm", GRIMAL,
         "some thousand documents, chosen words", _similarity("ChiSim")),
        ("chi-sim-pk", "the same, weak similarities pruned", GRIMAL,
         "some thousand short documents, any words", _similarity("ChiSim", pruning=0.6)),
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
        ("voted-plsa", "PLSA where several views agree by vote", KIM,
         "documents in several languages, or with embeddings", _views("VotedPLSA")),
        ("conc-plsa", "PLSA on several views side by side", KIM,
         "the same, without a vote", _views("ConcPLSA")),
        ("fusion-lm", "PLSA on what models of each view found", KIM,
         "the same, views of very different length", _views("FusionLM")),
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
