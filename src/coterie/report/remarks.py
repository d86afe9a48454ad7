"""What there is to say of a clustering besides its clusters, in a sentence each."""

from collections.abc import Iterable

from coterie.report.boilerplate import BLOCK, FEW
from coterie.report.doubtful import CLOSE, LIKELY
from coterie.report.duplicates import Duplicates
from coterie.report.summary import Summary
from coterie.report.trust import Calibration, NumberOfClusters
from coterie.report.wording import percent, thousands

SIGNS = {BLOCK: "†", FEW: "‡", "": ""}
MEANINGS = {
    BLOCK: "comes with the same other words nearly always, as in a signature or a header",
    FEW: "is mostly in very few documents of the cluster",
}
USUAL = 0.8


def marks(summary: Summary, n_words: int | None = None) -> list[str]:
    """The marks that are among the first words of clusters."""
    lists = [
        view.words[:n_words]
        for cluster in summary.clusters
        for view in (cluster.views or (cluster,))
    ]
    found = {word.mark for words in lists for word in words}
    return [mark for mark in MEANINGS if mark in found]


def about_doubtful(summary: Summary) -> str:
    """How many documents might as well be elsewhere; empty where none."""
    n_doubtful = len(summary.doubtful)
    if not n_doubtful:
        return ""
    share = percent(n_doubtful / summary.n_documents)
    limits = f"below {100 * LIKELY:.0f}%, or another cluster within {100 * CLOSE:.0f} points"
    return f"{_documents(n_doubtful)} ({share}), {limits}"


def about_duplicates(duplicates: Duplicates) -> str:
    """How many documents say the same; empty where none."""
    n_documents = sum(len(group.documents) for group in duplicates.groups)
    if not n_documents:
        return "" if duplicates.compared else NOT_COMPARED
    groups = len(duplicates.groups)
    said = (
        f"{_documents(n_documents)} in {thousands(groups)} group{'' if groups == 1 else 's'} "
        f"say almost the same; {thousands(duplicates.n_equal)} of them "
        f"have the same words as another"
    )
    return said if duplicates.compared else f"{said}; {NOT_COMPARED}"


NOT_COMPARED = "documents are too many and too much alike to look for near-duplicates"


def about_number(number: NumberOfClusters) -> str:
    """How the number of clusters was chosen.

    Examples
    --------
    >>> scores = {"modularity": (0.2, 0.5, 0.5)}
    >>> about_number(NumberOfClusters(3, (2, 3, 4), (0.2, 0.48, 0.5), scores))
    '3 clusters, of 2 to 4 tried: their modularity score is 96.0% of the highest, that of 4'
    """
    if len(number.tried) == 1:
        return f"{_clusters(number.chosen - number.n_left_out)}; no other number was tried"
    tried = f"of {number.tried[0]} to {number.tried[-1]} tried"
    if number.n_left_out:
        tried = f"{tried}, {number.n_left_out} of which hold no document"
    if number.share_of_best is None:
        return f"{_clusters(number.chosen)}, {tried}"
    said = f"{_clusters(number.chosen)}, {tried}: their {_listed(number.measures)} score is"
    if number.chosen == number.best:
        said = f"{said} the highest"
    else:
        share = percent(number.share_of_best)
        said = f"{said} {share} of the highest, that of {number.best}"
    more = max(number.near, default=number.chosen)
    if more > number.chosen:
        said = f"{said}; up to {more} would do nearly as well"
        if number.peaks:
            said = f"{said}, most of all {_listed(number.peaks)}"
    return said


def _listed(things: Iterable[object]) -> str:
    *others, last = map(str, things)
    return f"{', '.join(others)} and {last}" if others else last


def about_calibration(calibration: Calibration) -> str:
    """What probabilities are worth, by the documents said at about 80 in 100.

    Examples
    --------
    >>> about_calibration(Calibration((0.55, 0.82), (0.5, 0.79), (40, 60)))[:57]
    'of 60 documents said at 82%, 79% were found again in thei'
    """
    place = calibration.near(USUAL)
    said, seen = (f"{100 * each[place]:.0f}%" for each in (calibration.said, calibration.seen))
    return (
        f"of {_documents(calibration.n[place])} said at {said}, {seen} were found again in "
        f"their cluster; {100 * calibration.gap:.0f} points apart on average"
    )


def about_levels(summary: Summary) -> str:
    """The coarsest view of at least three groups, or of two; empty where there is no tree."""
    if summary.hierarchy is None or not summary.hierarchy.levels:
        return ""
    levels = [each for each in summary.hierarchy.levels if each.n_clusters > 2]
    level = (levels or summary.hierarchy.levels)[-1]
    nodes = [summary.hierarchy.nodes[place] for place in level.nodes]
    groups = ", ".join(f"{node.name} ({thousands(node.size)})" for node in nodes)
    return f"in {level.n_clusters} groups: {groups}"


def remarks(summary: Summary) -> list[tuple[str, str]]:
    """All there is to say: what it is about, and the sentence."""
    lines = [
        ("Number", about_number(summary.number) if summary.number else ""),
        (
            "Probabilities",
            about_calibration(summary.calibration) if summary.calibration else "",
        ),
        ("Doubtful", about_doubtful(summary)),
        ("Duplicates", about_duplicates(summary.duplicates)),
        ("Coarser", about_levels(summary)),
    ]
    return [(about, said) for about, said in lines if said]


def _clusters(number: int) -> str:
    return f"{number} cluster{'' if number == 1 else 's'}"


def _documents(number: int) -> str:
    return f"{thousands(number)} document{'' if number == 1 else 's'}"
