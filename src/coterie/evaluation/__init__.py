"""How good a clustering is: against known classes, on unseen documents, over several runs."""

from coterie.evaluation.coherence import c_v_coherence, npmi_coherence, word_diversity
from coterie.evaluation.external import (
    ClassScore,
    PairScores,
    ari,
    class_scores,
    majority_classes,
    mi_f_score,
    micro_precision,
    micro_recall,
    nmi,
    pairwise_scores,
    pairwise_scores_soft,
)
from coterie.evaluation.internal import (
    cosine_silhouette,
    held_out_perplexity,
    perplexity,
    stability,
)
from coterie.evaluation.labels import Contingency, contingency
from coterie.evaluation.noise import NoiseCurve, label_noise, noise_curve
from coterie.evaluation.scores import Scores, evaluate
from coterie.evaluation.significance import Comparison, compare_runs, mark

__all__ = [
    "ClassScore",
    "Comparison",
    "Contingency",
    "NoiseCurve",
    "PairScores",
    "Scores",
    "ari",
    "c_v_coherence",
    "class_scores",
    "compare_runs",
    "contingency",
    "cosine_silhouette",
    "evaluate",
    "held_out_perplexity",
    "label_noise",
    "majority_classes",
    "mark",
    "mi_f_score",
    "micro_precision",
    "micro_recall",
    "nmi",
    "noise_curve",
    "npmi_coherence",
    "pairwise_scores",
    "pairwise_scores_soft",
    "perplexity",
    "stability",
    "word_diversity",
]
