"""Table 2 of Wang: pairs of documents put together, on even and on skewed classes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from coterie.methods import AUTO
from coterie_papers.cells import Cell, Results, Scores, cell
from coterie_papers.combined import COMBINED, above_published, beside_published, few, n_runs
from coterie_papers.comparison import OURS, Row, above, compare
from coterie_papers.corpora import NINE_GROUPS, SKEWED
from coterie_papers.items import Claim, Scope, Sheet
from coterie_papers.wang import published

METHODS = {"2PLSA": "2plsa", "LDCC": "ldcc", "ITCC": "itcc"}
INCREMENTAL = f"{OURS}incremental vocabulary, then 2PLSA"
BY_LABELS = "pairs by label"
RANDOM, ONE_STEP = f"{OURS}an even random partition", f"{OURS}ITCC, one iteration"
TOPICS = (15, 20)
WORD_TOPICS = 50
CORPORA = {"": "nine-groups", ", skewed classes": "nine-groups-skewed"}
"""Corpora by what the name of a group says of them."""

MEASURES = {"precision": "precision", "recall": "recall", "f1": "F1"}
LDCC_STEPS = 200
FEW_DOCUMENTS = (
    "Words in fewer than three messages are left out, which the paper does not state."
)
SUBSTITUTE = (
    "**Substitute:** the 1,236 Wikipedia articles of nine topics are replaced by 1,236 "
    f"messages of 20 Newsgroups, 137 or 138 each of {', '.join(NINE_GROUPS)}, and by as many "
    "of the same groups in skewed numbers, "
    f"{', '.join(map(str, SKEWED[:-1]))} and {SKEWED[-1]}."
)


@dataclass(frozen=True)
class Entry:
    """A row: its name, a method, and how it is fitted and counted."""

    name: str
    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    by_labels: bool = False


ENTRIES = (
    *(Entry(name, method) for name, method in METHODS.items()),
    *(Entry(f"{OURS}{name}, {BY_LABELS}", METHODS[name], by_labels=True)
      for name in ("2PLSA", "LDCC")),
    *(Entry(f"{OURS}{name}, {words} word clusters, {BY_LABELS}", METHODS[name],
            {"words": words}, by_labels=True)
      for name, words in (("2PLSA", 2), ("2PLSA", 5), ("ITCC", 5), ("ITCC", 200))),
    Entry(ONE_STEP, "itcc", {"max_iter": 1}),
    Entry(RANDOM, "even"),
    Entry(INCREMENTAL, "mm-incremental+2plsa"),
    Entry(COMBINED, AUTO, by_labels=True),
)  # fmt: skip


def _cells(scope: Scope, entry: Entry, corpus: str, n_topics: int) -> list[Cell]:
    corpus = f"{corpus}:400" if scope.quick else corpus
    settings: dict[str, Any] = {"clusters": n_topics, "words": WORD_TOPICS}
    seconds = {"ldcc": 5.0, "itcc": 0.2, "even": 0.1}.get(entry.method, 1.0)
    if entry.method == "ldcc":
        settings["max_iter"] = 30 if scope.quick else LDCC_STEPS
    if entry.method == AUTO:
        settings |= {"words": None, "few": few(scope)}
        seconds = 1.0 if scope.quick else 11.0
    settings |= entry.settings
    experiment = "wang.partitions.even" if entry.method == "even" else "clustering.pairs"
    if entry.method == "even":
        settings["words"] = None
    return [
        cell(experiment, corpus, entry.method, seed, seconds=seconds, **settings)
        for seed in range(n_runs(scope) if entry.method == AUTO else scope.runs)
    ]


def plan_table2(scope: Scope) -> list[Cell]:
    """Three methods, others of ours and trials, with 15 and 20 topics."""
    return [
        each
        for corpus in CORPORA.values()
        for n in TOPICS
        for entry in ENTRIES
        for each in _cells(scope, entry, corpus, n)
    ]


def _by_labels(run: Scores) -> Scores:
    """The same run with pairs counted by labels."""
    return {**run, **dict(zip(MEASURES, run["hard"], strict=True))}


def _rows(scope: Scope, results: Results) -> list[Row]:
    rows = []
    for said, corpus in CORPORA.items():
        for n in TOPICS:
            for entry in ENTRIES:
                found = [results[each] for each in _cells(scope, entry, corpus, n)]
                if entry.by_labels:
                    found = [_by_labels(run) for run in found]
                rows.append(
                    Row(f"{n} topics{said}", entry.name, found, published.pairs(entry.name, n))
                )
    return rows


def present_table2(scope: Scope, results: Results) -> Sheet:
    """Pairwise precision, recall and F1."""
    rows = _rows(scope, results)
    f1 = {"f1": "F1"}
    headline = "; ".join(
        f"{row.name}, {row.group}: {row.mean('f1'):.2f} ({row.published['f1']})"
        for row in rows
        if row.published
    )
    headline = f"F1 ours (published): {headline}; {beside_published(rows, f1)}"
    note = (
        f"Two documents are together where the product of their memberships is above 0.5. "
        f"Methods have {WORD_TOPICS} word clusters unless their row says otherwise; the paper "
        f"does not state their number. Segments of LDCC are paragraphs. Clusters of ITCC and "
        f"`{AUTO}` are hard: their pairs are those with the same label."
    )
    grids = compare(rows, MEASURES, 0.05)
    return Sheet([note, *grids], _claims(rows), SUBSTITUTE, headline, _notes(rows))


def _claims(rows: Sequence[Row]) -> list[Claim]:
    f1, precision = {"f1": "F1"}, {"precision": "precision"}
    better = [
        Claim(f"2PLSA has a higher {heading} than {other}",
              above(rows, "2PLSA", other, {measure: heading}),
              reason=_why_counted(rows, other, measure))
        for measure, heading in (precision | f1).items()
        for other in ("LDCC", "ITCC")
    ]  # fmt: skip
    recall = {"recall": "recall"}
    lowest = above(rows, "LDCC", "ITCC", recall)
    over = above(rows, "2PLSA", "ITCC", recall)
    return [
        *better,
        Claim("ITCC has the lowest recall",
              {name: lowest[name] and over[name] for name in lowest},
              reason=_why_recall(rows)),
        Claim("2PLSA takes less time than LDCC", above(rows, "LDCC", "2PLSA",
                                                       {"seconds": "seconds"})),
        Claim("2PLSA after the incremental vocabulary is above 2PLSA",
              above(rows, INCREMENTAL, "2PLSA", f1), ours=True),
        _above_published(rows),
    ]  # fmt: skip


def _above_published(rows: Sequence[Row]) -> Claim:
    claim = above_published(rows, MEASURES)
    recalls = ", ".join(
        f"{row.mean('recall'):.2f} ({row.group})" for row in rows if row.name == COMBINED
    )
    reason = (
        f"The recall of `{AUTO}` is {recalls}: with more clusters than classes it keeps parts "
        "of a class apart, at the precision in the table."
    )
    return Claim(claim.text, claim.verdicts, ours=True, reason=reason)


def _told(rows: Sequence[Row], names: Sequence[str], measures: Sequence[str]) -> str:
    """Measures of some rows of every group, as text."""
    groups = []
    for group, members in groupby(rows, key=lambda row: row.group):
        by_name = {row.name: row for row in members}
        values = ", ".join(
            name.removeprefix(OURS)
            + " "
            + "/".join(f"{by_name[name].mean(measure):.2f}" for measure in measures)
            for name in names
        )
        groups.append(f"{group}: {values}")
    return "; ".join(groups)


def _why_counted(rows: Sequence[Row], other: str, measure: str) -> str:
    """In how many groups 2PLSA is above by memberships, and in how many by labels."""
    heading = {measure: MEASURES[measure]}
    soft = above(rows, "2PLSA", other, heading)
    labelled = f"{OURS}{other}, {BY_LABELS}" if other == "LDCC" else other
    hard = above(rows, f"{OURS}2PLSA, {BY_LABELS}", labelled, heading)
    return (
        f"2PLSA is above in {sum(soft.values())} of {len(soft)} tables. Pairs were also "
        "counted by label, as those of ITCC are: then it is above in "
        f"{sum(hard.values())} of {len(hard)}."
    )


def _why_recall(rows: Sequence[Row]) -> str:
    """What the published precision and recall of ITCC are, and how near ours come to them."""
    theirs = " and ".join(
        f"{row['precision']}/{row['recall']} with {n}"
        for n in TOPICS
        for row in [published.pairs("ITCC", n)]
    )
    skewed = [row for row in rows if "skewed" in row.group]
    labelled = f"{OURS}2PLSA, {BY_LABELS}"
    nearest = min((row for row in rows if "ITCC" in row.name), key=_from_published)
    return (
        f"The published precision and recall of ITCC are {theirs} topics: the same precision "
        "twice, and a recall of about one over the number of topics. An even random partition "
        "has such values where two documents share a class as often. Here precision and recall "
        f"are, for {_told(skewed, [RANDOM, ONE_STEP, 'ITCC'], ['precision', 'recall'])}. Of "
        f"the ways ITCC was tried, “{nearest.name.removeprefix(OURS)}” comes nearest to the "
        f"published values, for {nearest.group}. Recall of 2PLSA by memberships and by labels "
        f"is, for {_told(skewed, ['2PLSA', labelled], ['recall'])}."
    )


def _from_published(row: Row) -> float:
    """How far precision and recall are from those published for ITCC with as many topics."""
    theirs = published.pairs("ITCC", int(row.group.partition(" ")[0]))
    return sum(abs(row.mean(m) - theirs[m].mean) for m in ("precision", "recall"))


def _notes(rows: Sequence[Row]) -> list[str]:
    names = ["2PLSA", f"{OURS}2PLSA, {BY_LABELS}", f"{OURS}2PLSA, 2 word clusters, {BY_LABELS}"]
    theirs = " and ".join(
        "/".join(str(value) for value in published.pairs("2PLSA", n).values()) for n in TOPICS
    )
    return [
        "The paper says that 2PLSA significantly outperforms the others, names no test and has "
        "one value for each; the statements compare means.",
        "Numbers of the skewed groups are such that a random partition has the published "
        "precision of ITCC; the paper does not state the sizes of its topics.",
        f"Precision, recall and F1 of 2PLSA are published as {theirs}. Here they are, for "
        f"{_told([row for row in rows if 'skewed' in row.group], names, list(MEASURES))}.",
        FEW_DOCUMENTS,
    ]
