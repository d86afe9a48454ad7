"""How numbers and measures are written for people."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coterie.evaluation import Scores
    from coterie.findings.internal import InternalScores


def thousands(number: float) -> str:
    """Write a whole number with commas.

    Examples
    --------
    >>> thousands(1234567)
    '1,234,567'
    """
    return f"{round(number):,}"


def counted(n: int, thing: str) -> str:
    """Write a number with its noun, which takes an s unless it is one.

    Examples
    --------
    >>> counted(1, "document"), counted(1200, "document")
    ('1 document', '1,200 documents')
    """
    return f"{thousands(n)} {thing}{'' if n == 1 else 's'}"


def percent(share: float) -> str:
    """Write a share as a percentage, with a decimal where it would round to nothing or all.

    Examples
    --------
    >>> percent(0.1234), percent(0.004), percent(0.00001), percent(0.0)
    ('12 %', '0.4 %', '<0.1 %', '0 %')
    >>> percent(0.996), percent(0.99999), percent(1.0)
    ('99.6 %', '>99.9 %', '100 %')
    """
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    extreme = 0 < share < 0.00995 or 0.99 < share < 1
    return f"{100 * share:.1f} %" if extreme else f"{100 * share:.0f} %"


def times(lift: float) -> str:
    """Write how many times more frequent a word is.

    Examples
    --------
    >>> times(3.14159), times(27.3)
    ('3.1×', '27×')
    """
    return f"{lift:.1f}×" if lift < 9.95 else f"{lift:,.0f}×"


def number(value: float) -> str:
    """Write a measured number in a few digits.

    Examples
    --------
    >>> number(-1234567.8), number(0.98765)
    ('-1,234,568', '0.9877')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


def elapsed(seconds: float) -> str:
    """Write a time the way a person would say it.

    Examples
    --------
    >>> elapsed(0.042), elapsed(12.3), elapsed(754)
    ('0.04 s', '12.3 s', '12 min 34 s')
    """
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def measures(scores: "Scores") -> list[tuple[str, str, str]]:
    """List the measures of agreement with known classes: name, value, and what it means."""
    rows = [
        ("Micro precision", scores.micro_precision, "documents in their cluster's main class"),
        ("NMI", scores.nmi, "mutual information over the geometric mean"),
        ("Adjusted Rand index", scores.ari, "pairs of documents, corrected for chance"),
        ("MI F-score", scores.mi_f_score, "mutual information of the probabilities"),
        ("Pairs, precision", scores.pairs.precision, "pairs of a cluster that share a class"),
        ("Pairs, recall", scores.pairs.recall, "pairs of a class that share a cluster"),
        ("Pairs, F1", scores.pairs.f1, "harmonic mean of the two"),
    ]
    if scores.soft_pairs is not None:
        rows.append(("Soft pairs, F1", scores.soft_pairs.f1, "the same for the probabilities"))
    written = [(name, f"{value:.3f}", meaning) for name, value, meaning in rows]
    noise = percent(scores.label_noise["nmi"])
    return [*written, ("Worth in label noise", noise, "share of random labels giving this NMI")]


def internal_measures(scores: "InternalScores") -> list[tuple[str, str, str]]:
    """List the measures that need no labels and could be computed."""
    rows = [
        ("NPMI", scores.npmi, "coherence of the ten most probable words, windows of 10 words"),
        ("C_V", scores.c_v, "coherence of the same words, windows of 110 words"),
        ("Diversity of words", scores.diversity, "distinct ones among these words"),
        ("Silhouette", scores.silhouette, "cosine distances of tf-idf weights"),
        (
            "Stability",
            scores.stability,
            "adjusted Rand index with clusters of 80 % of documents",
        ),
    ]
    return [
        (name, f"{value:.3f}", meaning) for name, value, meaning in rows if value is not None
    ]
