"""Find groups of documents and the groups of words that explain them.

Names are imported when first used, so that `import coterie` and the command line start at once.
"""

TYPE_CHECKING = False  # as in `typing`, which takes a while to import

if TYPE_CHECKING:
    from typing import Any

    from coterie.automatic import AutoClustering
    from coterie.clustering import Clustering, cluster, load
    from coterie.comparison import compare
    from coterie.corpus import Corpus, Limits, TextOptions, read
    from coterie.errors import InputError, InterruptedWarning
    from coterie.executors import run_on
    from coterie.fitting import accelerating, checkpointing, memory_limit, watching
    from coterie.inference import HierarchicalSplits, IncrementalVocabulary, ReducedVocabulary
    from coterie.models.baselines import (
        KMeansBaseline,
        LDABaseline,
        LSABaseline,
        NMFBaseline,
        SpectralBaseline,
    )
    from coterie.models.block_values import BVD
    from coterie.models.concepts import ConceptClustering, ConceptSpace
    from coterie.models.dirichlet import LDCC
    from coterie.models.ext_plsa import ExtPLSA
    from coterie.models.gibbs import GibbsMixture
    from coterie.models.information import ITCC
    from coterie.models.mixture import MultinomialMixture
    from coterie.models.plsa import PLSA
    from coterie.models.summary_network import RSN
    from coterie.models.two_plsa import TwoPLSA
    from coterie.models.von_mises import VonMisesFisherMixture
    from coterie.multiview import ConcPLSA, FusionLM, VotedPLSA
    from coterie.selection import (
        InformationGain,
        MedoidWords,
        MostFrequent,
        SupervisedMutualInformation,
    )
    from coterie.similarity import CTK, LSA, SNOS, ChiSim, Cosine
    from coterie.starts import Dirichlet
    from coterie.storage import load_model, save_model
    from coterie.weighting import WordWeights

__version__ = "0.1.0"

_HOMES = {
    "AutoClustering": "coterie.automatic",
    "Clustering": "coterie.clustering",
    "cluster": "coterie.clustering",
    "load": "coterie.clustering",
    "WordWeights": "coterie.weighting",
    "ConceptClustering": "coterie.models.concepts",
    "ConceptSpace": "coterie.models.concepts",
    "KMeansBaseline": "coterie.models.baselines",
    "LDABaseline": "coterie.models.baselines",
    "LSABaseline": "coterie.models.baselines",
    "NMFBaseline": "coterie.models.baselines",
    "SpectralBaseline": "coterie.models.baselines",
    "Corpus": "coterie.corpus",
    "Limits": "coterie.corpus",
    "TextOptions": "coterie.corpus",
    "read": "coterie.corpus",
    "checkpointing": "coterie.fitting",
    "memory_limit": "coterie.fitting",
    "compare": "coterie.comparison",
    "watching": "coterie.fitting",
    "InputError": "coterie.errors",
    "InterruptedWarning": "coterie.errors",
    "accelerating": "coterie.fitting",
    "run_on": "coterie.executors",
    "ExtPLSA": "coterie.models.ext_plsa",
    "GibbsMixture": "coterie.models.gibbs",
    "HierarchicalSplits": "coterie.inference",
    "ITCC": "coterie.models.information",
    "IncrementalVocabulary": "coterie.inference",
    "LDCC": "coterie.models.dirichlet",
    "MultinomialMixture": "coterie.models.mixture",
    "PLSA": "coterie.models.plsa",
    "ReducedVocabulary": "coterie.inference",
    "TwoPLSA": "coterie.models.two_plsa",
    "BVD": "coterie.models.block_values",
    "RSN": "coterie.models.summary_network",
    "InformationGain": "coterie.selection",
    "MedoidWords": "coterie.selection",
    "MostFrequent": "coterie.selection",
    "SupervisedMutualInformation": "coterie.selection",
    "VonMisesFisherMixture": "coterie.models.von_mises",
    "ConcPLSA": "coterie.multiview",
    "FusionLM": "coterie.multiview",
    "VotedPLSA": "coterie.multiview",
    "CTK": "coterie.similarity",
    "LSA": "coterie.similarity",
    "SNOS": "coterie.similarity",
    "ChiSim": "coterie.similarity",
    "Cosine": "coterie.similarity",
    "Dirichlet": "coterie.starts",
    "load_model": "coterie.storage",
    "save_model": "coterie.storage",
}

__all__ = [
    "BVD",
    "CTK",
    "ITCC",
    "LDCC",
    "LSA",
    "PLSA",
    "RSN",
    "SNOS",
    "AutoClustering",
    "ChiSim",
    "Clustering",
    "ConcPLSA",
    "ConceptClustering",
    "ConceptSpace",
    "Corpus",
    "Cosine",
    "Dirichlet",
    "ExtPLSA",
    "FusionLM",
    "GibbsMixture",
    "HierarchicalSplits",
    "IncrementalVocabulary",
    "InformationGain",
    "InputError",
    "InterruptedWarning",
    "KMeansBaseline",
    "LDABaseline",
    "LSABaseline",
    "Limits",
    "MedoidWords",
    "MostFrequent",
    "MultinomialMixture",
    "NMFBaseline",
    "ReducedVocabulary",
    "SpectralBaseline",
    "SupervisedMutualInformation",
    "TextOptions",
    "TwoPLSA",
    "VonMisesFisherMixture",
    "VotedPLSA",
    "WordWeights",
    "accelerating",
    "checkpointing",
    "cluster",
    "compare",
    "load",
    "load_model",
    "memory_limit",
    "read",
    "run_on",
    "save_model",
    "watching",
]


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module 'coterie' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
