"""How good a clustering is: against known classes, on unseen documents, over several runs."""

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
from coterie.evaluation.internal import held_out_perplexity, perplexity
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
    "class_scores",
    "compare_runs",
    "contingency",
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
    "pairwise_scores",
    "pairwise_scores_soft",
    "perplexity",
]
