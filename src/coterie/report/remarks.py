"""What there is to say of a clustering besides its clusters, in a sentence or two each."""

from collections.abc import Iterable

from coterie.findings import Summary
from coterie.findings.assignments import CLOSE, LIKELY
from coterie.findings.boilerplate import BLOCK, FEW
from coterie.findings.duplicates import Duplicates
from coterie.findings.texts import NUMBERS, readable_word
from coterie.findings.trust import CalibrationCurve, NumberOfClusters
from coterie.report.wording import counted, percent, thousands

SIGNS = {BLOCK: "†", FEW: "‡", "": ""}
MEANINGS = {
    BLOCK: "nearly always comes with the same other words, as in a signature or a header",
    FEW: "is mostly in very few documents of the cluster",
}
MEASURES = {"agreement": "agreement between methods"}
USUAL = 0.8
STOPPED = "The fit was stopped by Ctrl-C; these are the best clusters found until then."
NOT_COMPARED = "Near-duplicates were not searched for: "
TOO_MANY, FIT_STOPPED = "too many documents are too much alike.", "the fit was stopped."


def marks(summary: Summary, n_words: int | None = None) -> list[str]:
    """The marks that are among the first words of clusters."""
    shown = {
        word.mark
        for cluster in summary.clusters
        for view in (cluster.views or (cluster,))
        for word in view.words[:n_words]
    }
    return [mark for mark in MEANINGS if mark in shown]


def shows_numbers(summary: Summary) -> bool:
    """Whether the word that stands for all numbers is shown."""
    lists = [view for each in summary.clusters for view in (each.views or (each,))]
    return any(
        NUMBERS in readable_word(word.word)
        for each in (*lists, *summary.word_clusters)
        for word in each.words
    )


def about_doubtful(summary: Summary) -> str:
    """How many documents might as well be in another cluster; empty where none."""
    n_doubtful = len(summary.doubtful)
    if not n_doubtful:
        return ""
    return (
        f"{counted(n_doubtful, 'document')} ({percent(n_doubtful / summary.n_documents)}) "
        f"might as well be in another cluster: the first choice has less than "
        f"{percent(LIKELY)}, or the second is less than {100 * CLOSE:.0f} points behind."
    )


def about_duplicates(duplicates: Duplicates, interrupted: bool = False) -> str:
    """How many documents are duplicates; empty where none."""
    n_documents = sum(len(group.documents) for group in duplicates.groups)
    compared = duplicates.compared
    not_compared = NOT_COMPARED + (FIT_STOPPED if interrupted else TOO_MANY)
    if not n_documents:
        return "" if compared else not_compared
    sentence = (
        f"{counted(n_documents, 'document')} in {counted(len(duplicates.groups), 'group')} "
        f"are duplicates{' or near-duplicates' if compared else ''}."
    )
    if duplicates.n_equal:
        has = "has" if duplicates.n_equal == 1 else "have"
        sentence += (
            f" {thousands(duplicates.n_equal)} of them {has} exactly the words of another."
        )
    return sentence if compared else f"{sentence} {not_compared}"


def about_number(number: NumberOfClusters) -> str:
    """Why this number of clusters was chosen.

    Examples
    --------
    >>> about_number(NumberOfClusters(6, (2, 6, 8), (0.2, 0.76, 0.8), {}, near=(6, 8)))
    '6 clusters score nearly as well as 8 (95 %) and are fewer. 2 to 8 clusters were tried.'
    """
    if len(number.tried) == 1:
        n_filled = number.chosen - number.n_left_out
        return f"{counted(n_filled, 'cluster')}. No other number was tried."
    sentences = [
        _about_score(number),
        _about_left_out(number.n_left_out),
        _about_more(number),
        f"{number.tried[0]} to {number.tried[-1]} clusters were tried.",
    ]
    return " ".join(filter(None, sentences))


def _about_score(number: NumberOfClusters) -> str:
    clusters = counted(number.chosen, "cluster")
    if number.share_of_best is None:
        return f"{clusters}."
    score = "scores" if number.chosen == 1 else "score"
    if number.chosen == number.best:
        return f"{clusters} {score} highest."
    share = percent(number.share_of_best)
    if number.chosen < number.best and number.chosen in number.near:
        return f"{clusters} {score} nearly as well as {number.best} ({share}) and are fewer."
    return f"{clusters} {score} lower than {number.best} ({share})."


def _about_left_out(n_left_out: int) -> str:
    hold = "holds" if n_left_out == 1 else "hold"
    return f"{n_left_out} of them {hold} no document." if n_left_out else ""


def _about_more(number: NumberOfClusters) -> str:
    """Other numbers that stand out, and how their score compares with that of the chosen.

    Examples
    --------
    >>> tried = NumberOfClusters(6, (6, 9, 18), (0.5, 0.51, 0.45), {}, offered=(6, 9, 18))
    >>> _about_more(tried)
    '9 (score 2 % higher) and 18 (10 % lower) stand out too.'
    """
    if not number.others:
        most = max(number.near, default=number.chosen)
        nearly = f"Up to {most} clusters score nearly as well."
        return nearly if most > max(number.best, number.chosen) else ""
    ratios = [number.ratio(other, number.chosen) for other in number.others]
    told = ["" if ratio is None else _compared(ratio) for ratio in ratios]
    told = [
        f" ({'score ' if not i else ''}{each})" if each else "" for i, each in enumerate(told)
    ]
    numbers = listed(f"{other}{each}" for other, each in zip(number.others, told, strict=True))
    return f"{numbers} {'stands' if len(told) == 1 else 'stand'} out too."


def _compared(ratio: float) -> str:
    """A score beside another.

    Examples
    --------
    >>> _compared(1.02), _compared(0.9), _compared(1.001)
    ('2 % higher', '10 % lower', 'the same')
    """
    points = round(100 * (ratio - 1))
    if not points:
        return "the same"
    return f"{abs(points)} % {'higher' if points > 0 else 'lower'}"


def about_measures(number: NumberOfClusters) -> str:
    """What the score of a number of clusters is made of."""
    names = [MEASURES.get(name, name) for name in number.measures]
    return f"The score combines {listed(names)}." if len(names) > 1 else ""


def listed(values: Iterable[object]) -> str:
    """Write values as a list in a sentence.

    Examples
    --------
    >>> listed([3, 5, 8])
    '3, 5 and 8'
    """
    *others, last = map(str, values)
    return f"{', '.join(others)} and {last}" if others else last


def about_calibration(calibration: CalibrationCurve) -> str:
    """How far probabilities can be trusted, by the documents given about 80 %.

    Examples
    --------
    >>> curve = CalibrationCurve((0.55, 0.82), (0.5, 0.79), (40, 60))
    >>> about_calibration(curve)[:69]
    'Of the 60 documents given 82 %, 79 % stayed in their cluster when par'
    """
    i = calibration.nearest_range(USUAL)
    return (
        f"Of the {counted(calibration.n[i], 'document')} given "
        f"{percent(calibration.predicted[i])}, {percent(calibration.observed[i])} stayed in "
        "their cluster when part of the data was left out. Over all documents the two differ "
        f"by {counted(round(100 * calibration.error), 'point')} on average."
    )


def about_levels(summary: Summary) -> str:
    """The coarsest level of at least three groups, or of two; empty where there is no tree."""
    if summary.hierarchy is None or not summary.hierarchy.levels:
        return ""
    levels = [each for each in summary.hierarchy.levels if each.n_clusters > 2]
    level = (levels or summary.hierarchy.levels)[-1]
    nodes = [summary.hierarchy.nodes[position] for position in level.nodes]
    groups = ", ".join(f"{node.name} ({thousands(node.size)})" for node in nodes)
    return f"{counted(level.n_clusters, 'group')}: {groups}"


def remarks(summary: Summary) -> list[tuple[str, str]]:
    """All there is to say: a subject and its sentences."""
    number, calibration = summary.number, summary.calibration
    lines = [
        ("Stopped", STOPPED if summary.interrupted else ""),
        ("Number", about_number(number) if number else ""),
        ("Probabilities", about_calibration(calibration) if calibration else ""),
        ("Doubtful", about_doubtful(summary)),
        ("Duplicates", about_duplicates(summary.duplicates, summary.interrupted)),
        ("Coarser", about_levels(summary)),
    ]
    return [(subject, sentences) for subject, sentences in lines if sentences]
