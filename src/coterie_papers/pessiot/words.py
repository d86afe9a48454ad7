"""Tables 1 and 2 of Pessiot et al.: proportions of classes, clusters of terms."""

from typing import Any

from coterie_papers.cells import Cell, Results, cell
from coterie_papers.items import Claim, Grid, Scope, Sheet
from coterie_papers.pessiot import published, tried
from coterie_papers.pessiot.setup import collections, substitute

READINGS = {
    "Reuters-21578": ("reuters", (
        "first topic, with a body", "one topic alone", "training stories", "test stories",
        "first half of the files")),
    "20Newsgroups": ("newsgroups", (
        "one copy in the collection", "first copy", "header names one of the 20 groups",
        "header names one group")),
}  # fmt: skip
"""Ways to read what the paper says of its selection; the first of each is used everywhere."""

TOLERANCE = 1.5
STARTS = 10
TRIED_ON, OTHER_NUMBERS = "WebKB", (5, 10, 35, 50)


def _readings() -> dict[tuple[str, str], Cell]:
    return {
        (title, reading): cell(
            "pessiot.readings.shares", corpus, "-", seconds=3, reading=reading
        )
        for title, (corpus, names) in READINGS.items()
        for reading in names
    }


def _shapes() -> list[Cell]:
    whole = Scope(quick=False)
    return [cell("clustering.shape", corpus, "-") for corpus in collections(whole).values()]


def plan_table1(scope: Scope) -> list[Cell]:  # noqa: ARG001
    """The shape of each corpus, and the classes in every reading; whole in a quick run too."""
    return [*_shapes(), *_readings().values()]


def present_table1(scope: Scope, results: Results) -> Sheet:  # noqa: ARG001
    """Proportions of the classes."""
    parts: list[Grid] = []
    verdicts = {}
    for title, each in zip(published.COLLECTIONS, _shapes(), strict=True):
        found = results[each]
        documents, words = published.SIZES[title]
        rows = [
            ["documents", f"{found['documents']:,}", f"{documents:,}" if documents else ""],
            ["words", f"{found['words']:,}", f"{words:,}"],
        ]
        records = _beside(title, found["classes"])
        rows += [
            [f"{r['class']}, %", "" if r["ours"] is None else f"{r['ours']:.1f}",
             "" if r["published"] is None else f"{r['published']}"]
            for r in records
        ]  # fmt: skip
        if any(r["ours"] is not None and r["published"] is not None for r in records):
            verdicts[title] = _distance(records) < TOLERANCE
        parts.append(Grid(["", "ours", "published"], rows, records, title=title))
    grid, reason = _present_readings(results)
    claims = [
        Claim(f"the classes have the published proportions, to {TOLERANCE} points", verdicts,
              reason=reason)
    ]  # fmt: skip
    held = ", ".join(name for name, holds in verdicts.items() if holds) or "none"
    return Sheet([*parts, grid], tried.settled(claims), substitute(),
                 f"proportions agree: {held}", [_numbers_note(results)])  # fmt: skip


def _beside(title: str, shares: dict[str, float]) -> list[dict[str, Any]]:
    """Percentages of every class, ours and published, None where one has no such class."""
    ours = {name: 100 * share for name, share in shares.items()}
    records: list[dict[str, Any]] = [
        {"class": name, "ours": ours.pop(published.OUR_CLASSES.get(name, name), None),
         "published": theirs}
        for name, theirs in published.PROPORTIONS[title].items()
    ]  # fmt: skip
    return records + [
        {"class": f"class {name}", "ours": share, "published": None}
        for name, share in ours.items()
    ]


def _distance(records: list[dict[str, Any]]) -> float:
    """The largest difference in points between our share of a class and the published."""
    return max(
        (abs(r["ours"] - r["published"]) for r in records
         if r["ours"] is not None and r["published"] is not None),
        default=0.0,
    )  # fmt: skip


def _numbers_note(results: Results) -> str:
    """Messages of each class, ours and by the published shares: which class differs."""
    shape = results[_shapes()[published.COLLECTIONS.index("20Newsgroups")]]
    total, theirs = (
        published.SIZES["20Newsgroups"][0] or 0,
        published.PROPORTIONS["20Newsgroups"],
    )
    pairs = ", ".join(
        f"{name} {shape['documents'] * shape['classes'].get(name, 0.0):,.0f} "
        f"({total * share / 100:,.0f})"
        for name, share in theirs.items()
    )
    return f"Messages of 20Newsgroups, ours (by the published shares): {pairs}."


def _present_readings(results: Results) -> tuple[Grid, str]:
    """Readings of the paper's selection, and how near the nearest comes."""
    rows, records = [], []
    nearest: dict[str, tuple[float, str, dict[str, Any]]] = {}
    for (title, reading), each in _readings().items():
        found = results[each]
        beside = _beside(title, found["classes"])
        distance = _distance(beside)
        far = max(beside, key=lambda r: abs((r["ours"] or 0) - (r["published"] or 0)))
        theirs = published.SIZES[title][0]
        rows.append([title, reading, f"{found['documents']:,}", f"{theirs:,}",
                     f"{distance:.1f} ({far['class']})"])  # fmt: skip
        records.append({"collection": title, "reading": reading, "distance": distance,
                        "documents": found["documents"]})  # fmt: skip
        if title not in nearest or distance < nearest[title][0]:
            nearest[title] = distance, reading, far
    headings = ["collection", "reading", "documents", "published", "largest difference, points"]
    listed = "; ".join(
        f"{title}: nearest is '{reading}', {distance:.1f} points off in {far['class']} "
        f"({far['ours']:.1f} %, published {far['published']} %)"
        for title, (distance, reading, far) in nearest.items()
    )
    reason = (
        "The paper does not say how it came to its documents. No reading of its words that was "
        f"tried gives its proportions and its number of documents ({listed})."
    )
    return Grid(headings, rows, records, title="Readings of the selection"), reason


def _starts(scope: Scope, title: str, words: int) -> list[Cell]:
    corpus = collections(scope)[title]
    known = sorted({word for cluster in published.TERM_CLUSTERS[title] for word in cluster})
    return [
        cell(
            "pessiot.concepts.shares",
            corpus,
            "cem",
            seed,
            words=words,
            known=known,
            seconds=1.5,
        )
        for seed in range(min(scope.runs, STARTS))
    ]


def plan_table2(scope: Scope) -> list[Cell]:
    """Concepts by CEM on two collections, from several starts; on one, other numbers too."""
    return [
        each
        for title in published.TERM_CLUSTERS
        for words in _numbers(title)
        for each in _starts(scope, title, words)
    ]


def _numbers(title: str) -> tuple[int, ...]:
    """Numbers of word clusters, the published one first."""
    return (published.CONCEPTS[title], *(OTHER_NUMBERS if title == TRIED_ON else ()))


def present_table2(scope: Scope, results: Results) -> Sheet:
    """For each published cluster of terms, the one of ours that has most of its words."""
    rows, records, verdicts = [], [], {}
    for title, clusters in published.TERM_CLUSTERS.items():
        starts = [
            results[each]["concepts"] for each in _starts(scope, title, _numbers(title)[0])
        ]
        n_words = sum(concept["size"] for concept in starts[0])
        here = {word for concept in starts[0] for word in concept["known"]}
        for number, theirs in enumerate(clusters, start=1):
            known = here & set(theirs)
            nearest = [
                max(concepts, key=lambda concept: len(known & set(concept["known"])))
                for concepts in starts
            ]
            counts = [len(known & set(concept["known"])) for concept in nearest]
            ours = nearest[counts.index(max(counts))]
            most = sum(2 * count > len(known) for count in counts)
            rows.append([title, " ".join(theirs), " ".join(ours["top"]),
                         f"{max(counts)} of {len(known)}",
                         f"{100 * ours['size'] / n_words:.0f} %",
                         f"{sum(counts) / len(counts):.1f}",
                         f"{most} of {len(starts)}"])  # fmt: skip
            records.append({"collection": title, "published": theirs, "ours": ours["top"],
                            "shared": counts, "known": len(known)})  # fmt: skip
            verdicts[f"{title}, cluster {number}"] = most > 0
    headings = ["collection", "published", "ours, most distinctive", "published words in ours",
                "share of all words in ours",
                "mean over starts", "starts with most words"]  # fmt: skip
    note = (
        "The published clusters are examples that the authors chose. CEM depends on its start: "
        f"ours are from {min(scope.runs, STARTS)} starts, and shown is the cluster with most "
        "of the published words. CEM has the prior 1.1; without a prior it stops early at a "
        "poor optimum. Only published words that are in our vocabulary are counted."
    )
    listed = "; ".join(f"{row[0]}: {row[3]} at best, {row[5]} on average" for row in rows)
    listed = f"{listed}. {_other_numbers(scope, results)}"
    claims = [
        Claim("CEM finds word topics as published: from one of the starts, a cluster has most "
              "words of the published one", verdicts, reason=f"Words found: {listed}")
    ]  # fmt: skip
    shares = ", ".join(row[3] for row in rows)
    return Sheet([Grid(headings, rows, records), note], tried.settled(claims), "",
                 f"published words in one of our clusters: {shares}")  # fmt: skip


def _other_numbers(scope: Scope, results: Results) -> str:
    """Words found with other numbers of word clusters, and how many words the cluster has."""
    clusters, parts = published.TERM_CLUSTERS[TRIED_ON], []
    for number, theirs in enumerate(clusters, start=1):
        found = []
        for words in OTHER_NUMBERS:
            concepts = [
                concept
                for each in _starts(scope, TRIED_ON, words)
                for concept in results[each]["concepts"]
            ]
            top = max(concepts, key=lambda concept: len(set(theirs) & set(concept["known"])))
            n_words = sum(each["size"] for each in concepts) / min(scope.runs, STARTS)
            n_found = len(set(theirs) & set(top["known"]))
            found.append(f"{n_found} with {words} ({top['size'] / n_words:.0%} of all words)")
        parts.append(f"cluster {number}: {', '.join(found)}")
    return (
        f"Tried on {TRIED_ON} with other numbers of word clusters, the most words in one of "
        f"them: {'; '.join(parts)}."
    )
