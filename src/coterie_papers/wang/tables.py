"""Tables 1 and 2 and Figure 1 of Wang."""

from coterie.corpus.languages import stemmer
from coterie.methods import AUTO
from coterie_papers.cells import Cell, Results, Scores, cell
from coterie_papers.combined import COMBINED, above_published, beside_published, few, n_runs
from coterie_papers.comparison import Row, above, compare
from coterie_papers.corpora import NINE_GROUPS
from coterie_papers.items import Claim, Grid, Matrix, Scope, Sheet
from coterie_papers.wang import published

METHODS = {"2PLSA": "2plsa", "LDCC": "ldcc", "ITCC": "itcc"}
INCREMENTAL = "ours: incremental vocabulary, then 2PLSA"
OURS = {INCREMENTAL: "mm-incremental+2plsa", COMBINED: AUTO}
TOPICS = (15, 20)
WORD_TOPICS = 50
MEASURES = {"precision": "precision", "recall": "recall", "f1": "F1"}
SUBSTITUTE = (
    "**Substitute:** the 1,236 Wikipedia articles of nine topics are replaced by 1,236 "
    f"messages of 20 Newsgroups, 137 or 138 each of {', '.join(NINE_GROUPS)}."
)


def plan_table1(scope: Scope) -> list[Cell]:
    """2PLSA on all groups, a few starts."""
    corpus = "twenty-groups-few" if scope.quick else "twenty-groups"
    n = min(scope.runs, 2 if scope.quick else 3)
    return [
        cell("words.topics", corpus, "mm-incremental+2plsa" if start else "2plsa", seed,
             clusters=20, words=WORD_TOPICS, seconds=3 if scope.quick else 30)
        for start in (False, True)
        for seed in range(n)
    ]  # fmt: skip


def present_table1(scope: Scope, results: Results) -> Sheet:
    """For each published topic, the word cluster of ours that has most of its words."""
    stem = stemmer("en")
    grids, verdicts = [], {}
    for start, title in ((False, "2PLSA"), (True, INCREMENTAL)):
        chosen = [c for c in plan_table1(scope) if ("+" in c.method) == start]
        found = [topic for each in chosen for topic in results[each]["topics"]]
        rows, records = [], []
        for group, printed in published.TOPICS.items():
            theirs = set(stem([published.intended(word) for word in printed]))
            ours = max(found, key=lambda topic: len(set(topic) & theirs))
            shared = len(set(ours) & theirs)
            rows.append([group, " ".join(printed), " ".join(ours[:10]), f"{shared} of 5"])
            records.append({"group": group, "published": printed, "ours": ours})
            if not start:
                verdicts[group] = shared >= 2
        headings = ["group", "published", "ours, ten most probable", "published in our 15"]
        grids.append(Grid(headings, rows, records, title=title))
    claims = [Claim("a word cluster has at least two of the five published words", verdicts)]
    note = f"{WORD_TOPICS} word clusters, 20 document clusters; words are stems."
    counts = ", ".join(row[-1] for row in grids[0].rows)
    return Sheet([note, *grids], claims, "", f"published words found: {counts}")


def _pairs(scope: Scope, method: str, n_topics: int) -> list[Cell]:
    corpus = "nine-groups:400" if scope.quick else "nine-groups"
    steps = {"ldcc": 30 if scope.quick else 200}.get(method)
    words = None if method == AUTO else WORD_TOPICS
    seconds = {"ldcc": 3, AUTO: 1 if scope.quick else 9}.get(method, 1)
    return [
        cell("clustering.pairs", corpus, method, seed, clusters=n_topics, words=words,
             max_iter=steps, few=few(scope) if method == AUTO else None, seconds=seconds)
        for seed in range(n_runs(scope) if method == AUTO else scope.runs)
    ]  # fmt: skip


def _by_labels(run: Scores) -> Scores:
    """The same run with pairs counted by labels."""
    return {**run, **dict(zip(MEASURES, run["hard"], strict=True))}


def plan_table2(scope: Scope) -> list[Cell]:
    """Three methods, and ours, with 15 and 20 topics."""
    methods = [*METHODS.values(), *OURS.values()]
    return [c for n in TOPICS for method in methods for c in _pairs(scope, method, n)]


def present_table2(scope: Scope, results: Results) -> Sheet:
    """Pairwise precision, recall and F1."""
    rows = []
    for n in TOPICS:
        for label, method in {**METHODS, **OURS}.items():
            found = [results[each] for each in _pairs(scope, method, n)]
            if method == AUTO:
                found = [_by_labels(run) for run in found]
            rows.append(Row(f"{n} topics", label, found, published.pairs(label, n)))
    f1, precision = {"f1": "F1"}, {"precision": "precision"}
    claims = [
        Claim(
            "2PLSA has a higher precision than LDCC", above(rows, "2PLSA", "LDCC", precision)
        ),
        Claim(
            "2PLSA has a higher precision than ITCC", above(rows, "2PLSA", "ITCC", precision)
        ),
        Claim("2PLSA has a higher F1 than LDCC", above(rows, "2PLSA", "LDCC", f1)),
        Claim("2PLSA has a higher F1 than ITCC", above(rows, "2PLSA", "ITCC", f1)),
        Claim("ITCC has the lowest recall", above(rows, "LDCC", "ITCC", {"recall": "recall"})),
        Claim(
            "2PLSA after the incremental vocabulary is above 2PLSA",
            above(rows, INCREMENTAL, "2PLSA", f1),
            ours=True,
        ),
        above_published(rows, MEASURES),
    ]
    note = (
        f"Two documents are together where the product of their memberships is above 0.5. "
        f"All methods have {WORD_TOPICS} word clusters; the paper does not state their number. "
        f"Segments of LDCC are paragraphs. Clusters of ITCC and `{AUTO}` are hard: their pairs "
        "are those with the same label."
    )
    headline = "; ".join(
        f"{row.name}, {row.group}: {row.mean('f1'):.2f} ({row.published['f1']})"
        for row in rows
        if row.published
    )
    grids = compare(rows, MEASURES, 0.05)
    headline = f"F1 ours (published): {headline}; {beside_published(rows, f1)}"
    return Sheet([note, *grids], claims, SUBSTITUTE, headline)


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
        "meet on the diagonal."
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
    )
