"""Table 1 and Figure 1 of Wang."""

import numpy as np

from coterie.corpus.languages import stemmer
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.items import Claim, Grid, Matrix, Scope, Sheet
from coterie_papers.wang import published
from coterie_papers.wang.table2 import FEW_DOCUMENTS, INCREMENTAL, WORD_TOPICS


def plan_table1(scope: Scope) -> list[Cell]:
    """2PLSA on all groups, a few starts."""
    corpus = "twenty-groups-few" if scope.quick else "twenty-groups"
    n = min(scope.runs, 2 if scope.quick else 3)
    return [
        cell("words.topics", corpus, "mm-incremental+2plsa" if start else "2plsa", seed,
             clusters=20, words=WORD_TOPICS, seconds=3 if scope.quick else 20)
        for start in (False, True)
        for seed in range(n)
    ]  # fmt: skip


def present_table1(scope: Scope, results: Results) -> Sheet:
    """For each published topic, the word cluster of ours that has most of its words."""
    plain, grown = (
        [
            results[each]["topics"]
            for each in plan_table1(scope)
            if ("+" in each.method) == start
        ]
        for start in (False, True)
    )
    grids = [_words(title, runs) for title, runs in (("2PLSA", plain), (INCREMENTAL, grown))]
    claims = [
        Claim(
            "a word cluster has at least two of the five published words",
            {record["group"]: record["shared"] >= 2 for record in grids[0].records},
        )
    ]
    note = f"{WORD_TOPICS} word clusters, 20 document clusters; words are stems."
    n, alone = len(plain), [record["alone"] for record in grids[0].records]
    notes = [
        f"Each row shows the one of {n * WORD_TOPICS} word clusters, {WORD_TOPICS} from each "
        f"of {n} starts, that has most of the published words among its 15 most probable. The "
        "paper chose its five topics too, and does not say from how many. A single start has "
        f"{', '.join(f'{mean:.1f}' for mean in alone)} of the five words, on average over the "
        "starts.",
        FEW_DOCUMENTS,
    ]
    counts = ", ".join(row[3] for row in grids[0].rows)
    return Sheet([note, *grids], claims, "", f"published words found: {counts}", notes)


def _words(title: str, runs: list[list[list[str]]]) -> Grid:
    """The word clusters of all starts that are nearest to the published topics."""
    stem = stemmer("en")
    rows, records = [], []
    for group, printed in published.TOPICS.items():
        theirs = set(stem([published.intended(word) for word in printed]))
        best = [max(topics, key=lambda words: len(theirs & set(words))) for topics in runs]
        shared = [len(theirs & set(words)) for words in best]
        ours, alone = best[int(np.argmax(shared))], float(np.mean(shared))
        rows.append([group, " ".join(printed), " ".join(ours[:10]), f"{max(shared)} of 5",
                     f"{alone:.1f}"])  # fmt: skip
        records.append({"group": group, "published": printed, "ours": ours,
                        "shared": max(shared), "alone": alone})  # fmt: skip
    headings = ["group", "published", "ours, ten most probable", "published in our 15",
                "with one start, on average"]  # fmt: skip
    return Grid(headings, rows, records, title=title)


def plan_figure1(scope: Scope) -> list[Cell]:
    """One fit of 2PLSA to ten groups."""
    corpus = "ten-groups:800" if scope.quick else "ten-groups"
    return [cell("words.ordered", corpus, "2plsa", clusters=10, words=20, seconds=6)]


def present_figure1(scope: Scope, results: Results) -> Sheet:
    """The matrix before and after its rows and columns are ordered by cluster."""
    found = results[plan_figure1(scope)[0]]
    n, m = found["shape"]
    before, after = found["contrast"]
    pictures = [
        Matrix(
            name, f"Words of documents, {name} co-clustering", "words", "documents", found[name]
        )
        for name in ("before", "after")
    ]
    groups, documents, words = published.MATRIX
    rows = [
        ["groups", "10", str(groups)],
        ["documents", f"{n:,}", f"{documents:,}"],
        ["words", f"{m:,}", f"{words:,}"],
        ["contrast before", f"{before:.2f}", ""],
        ["contrast after", f"{after:.2f}", ""],
    ]
    records = [{"documents": n, "words": m, "before": before, "after": after}]
    note = (
        "Contrast is the standard deviation of the densities of blocks, divided by their mean. "
        "After co-clustering, a cluster of documents and the word clusters matched with it "
        "meet on the diagonal; the paper does not match them, and its blocks lie elsewhere."
    )
    claims = [
        Claim(
            "co-clustering raises the contrast between blocks of documents and words",
            {"here": after > before},
        )
    ]
    grid = Grid(["", "ours", "published"], rows, records)
    return Sheet(
        [grid, note, *pictures],
        claims,
        "",
        f"contrast of blocks {before:.2f} before, {after:.2f} after",
        [FEW_DOCUMENTS],
    )
