"""What was tried where a statement of the paper does not hold: plans, tables, reasons."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from coterie.evaluation import compare_runs
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.comparison import Row, shown
from coterie_papers.items import Claim, Grid, Scope
from coterie_papers.pessiot import published
from coterie_papers.pessiot.setup import (
    LEVEL,
    MEASURES,
    METHODS,
    WITH_PRIOR,
    collections,
    estimate,
    runs,
)

CONCEPTS = 25
"""Word topics of Ext-PLSA in what is tried, the best number on Reuters-21578 in the paper."""

MANY_RUNS = 30
STRICT: dict[str, Any] = {"tol": 1e-7, "max_iter": 1000}
DRAWN = "Reuters-21578, 4,335 stories drawn"
DRAWN_METHODS = ("Kmeans", "NMF", "MM", "P-MM", "C-MM", "PLSA", "C-PLSA", "Ext-PLSA")
AS_SHOWN = "ten runs, as above"
STRICT_STOP = "EM stops at a gain of 1e-7 instead of 1e-5"
SAME_START = "PLSA from the start of Ext-PLSA"
TENTHS = "each run on another tenth of the collection"
MORE_RUNS = f"{MANY_RUNS} runs instead of ten"
DRAWN_STORIES = "4,335 stories drawn with the published shares of classes"

Pair = tuple[list[Cell], list[Cell]]


def p_value(one: Row, two: Row, measure: str) -> float | None:
    """Of the rank-sum test between two methods; None for fewer than two runs."""
    if min(len(one.runs), len(two.runs)) < 2:
        return None
    test = compare_runs(one.scores(measure), two.scores(measure), level=LEVEL)
    return float(test.p_value)


def better(one: Row, two: Row, measure: str) -> bool:
    """Whether the rank-sum test finds the first significantly better."""
    p = p_value(one, two, measure)
    return p is not None and p < LEVEL and one.mean(measure) > two.mean(measure)


def beside(one: Row, two: Row, measure: str) -> str:
    """Two means and the p-value of their difference.

    Examples
    --------
    >>> runs = [[{"nmi": n / 10 + i / 100} for i in range(5)] for n in (5, 3)]
    >>> first, second = (Row("WebKB", n, r, {}) for n, r in zip("ab", runs, strict=True))
    >>> beside(first, second, "nmi")
    '0.520 against 0.320 (p = 0.0079)'
    """
    p = p_value(one, two, measure)
    chance = "" if p is None else f" (p = {p:.2g})"
    return f"{one.mean(measure):.3f} against {two.mean(measure):.3f}{chance}"


def missed(rows: Sequence[Row], first: str, second: str, verdicts: Mapping[str, bool]) -> str:
    """The means of two methods wherever a verdict is negative."""
    found = {(each.group, each.name): each for each in rows}
    parts = [
        f"{group}, {heading}: {beside(found[group, first], found[group, second], measure)}"
        for group in dict.fromkeys(each.group for each in rows)
        for measure, heading in MEASURES.items()
        if not verdicts.get(f"{group}, {heading}", True)
    ]
    return f"{first} against {second}: {'; '.join(parts)}."


def settled(claims: Iterable[Claim]) -> list[Claim]:
    """The claims, without a reason where they hold."""
    return [replace(claim, reason="") if claim.holds else claim for claim in claims]


def drawn_runs(scope: Scope, label: str) -> list[Cell]:
    """Runs on as many stories of Reuters-21578 as the paper has."""
    words = {"Ext-PLSA": CONCEPTS}.get(label, 10 if "-" in label else None)
    return runs(scope, "reuters-drawn", label, words)


def plan_drawn(scope: Scope) -> list[Cell]:
    """Nothing for a quick run, whose samples are smaller than either."""
    if scope.quick:
        return []
    return [each for label in DRAWN_METHODS for each in drawn_runs(scope, label)]


def drawn_rows(scope: Scope, results: Results) -> list[Row]:
    """The methods on the drawn stories, with the values published for Reuters-21578."""
    if scope.quick:
        return []
    rows = []
    for label in DRAWN_METHODS:
        cells = drawn_runs(scope, label)
        words = cells[0].setting("words")
        rows.append(Row(DRAWN, label, [results[each] for each in cells],
                        published.best(label, "Reuters-21578"),
                        f"{words} concepts" if words else ""))  # fmt: skip
    return rows


def extended(scope: Scope) -> dict[tuple[str, str], Pair]:
    """Runs of Ext-PLSA and of PLSA, by collection and by what is tried on it."""
    pairs: dict[tuple[str, str], Pair] = {}
    more = Scope(max(scope.runs, MANY_RUNS), scope.quick)
    for title, corpus in collections(scope).items():
        ours = runs(scope, corpus, "Ext-PLSA", CONCEPTS)
        pairs[title, AS_SHOWN] = ours, runs(scope, corpus, "PLSA")
        start = _trials(scope, "from_start", corpus, "plsa", words=CONCEPTS)
        pairs[title, SAME_START] = ours, start
        if scope.quick:
            continue
        if title != "RCV2-French":
            pairs[title, MORE_RUNS] = (
                runs(more, corpus, "Ext-PLSA", CONCEPTS),
                runs(more, corpus, "PLSA"),
            )
            pairs[title, TENTHS] = (
                _trials(scope, "tenth", corpus, "ext-plsa", words=CONCEPTS),
                _trials(scope, "tenth", corpus, "plsa"),
            )
        if title in ("Reuters-21578", "WebKB"):
            pairs[title, STRICT_STOP] = (
                runs(scope, corpus, "Ext-PLSA", CONCEPTS, **STRICT),
                runs(scope, corpus, "PLSA", **STRICT),
            )
        if title == "Reuters-21578":
            pairs[title, DRAWN_STORIES] = (
                drawn_runs(scope, "Ext-PLSA"), drawn_runs(scope, "PLSA"))  # fmt: skip
    return pairs


def _trials(
    scope: Scope, experiment: str, corpus: str, method: str, **settings: Any
) -> list[Cell]:
    whole = experiment == "tenth"
    seconds = estimate(method, corpus, settings.get("words")) * (0.1 if whole else 1)
    return [
        cell(f"pessiot.trials.{experiment}", corpus if whole else f"{corpus}/{seed}", method,
             seed, seconds=seconds, **settings)
        for seed in range(scope.runs)
    ]  # fmt: skip


def plan_extended(scope: Scope) -> list[Cell]:
    """All runs of Ext-PLSA and PLSA that are compared."""
    return [each for pair in extended(scope).values() for cells in pair for each in cells]


def extended_grid(scope: Scope, results: Results) -> Grid:
    """Ext-PLSA beside PLSA in everything that was tried."""
    rows, records = [], []
    for (title, tried), pair in extended(scope).items():
        ext, plsa = (Row(title, "", [results[each] for each in cells], {}) for cells in pair)
        line = [title, tried]
        record: dict[str, Any] = {"collection": title, "tried": tried}
        for measure, heading in MEASURES.items():
            gain, p = ext.mean(measure) - plsa.mean(measure), p_value(ext, plsa, measure)
            line += [f"{ext.mean(measure):.3f}", f"{plsa.mean(measure):.3f}", f"{gain:+.3f}",
                     "" if p is None else f"{p:.2g}"]  # fmt: skip
            record |= {f"{heading} gain": gain, f"{heading} p": p}
        rows.append([*line, str(len(ext.runs))])
        records.append(record)
    headings = ["collection", "what is tried"]
    for heading in MEASURES.values():
        headings += [f"{heading} Ext-PLSA", f"{heading} PLSA", "gain", "p"]
    title = "What makes Ext-PLSA differ from PLSA"
    return Grid([*headings, "runs"], rows, records, title=title)


def extended_reason(grid: Grid) -> str:
    """What the table of Ext-PLSA beside PLSA says, in a few sentences."""
    significant = [
        f"{each['collection']} ({each['tried']}, {heading} {each[f'{heading} gain']:+.3f})"
        for each in grid.records
        for heading in MEASURES.values()
        if (each[f"{heading} p"] or 1) < LEVEL and each[f"{heading} gain"] > 0
    ]
    largest = max(record["AP gain"] for record in grid.records)
    same = [r["AP gain"] for r in grid.records if r["tried"] == SAME_START]
    found = f"significant at {LEVEL} only: {'; '.join(significant)}" if significant else (
        f"no gain is significant at {LEVEL}")  # fmt: skip
    return (
        "The likelihood of Ext-PLSA depends on its word topics only through their sum, so that "
        "both models have the same optima and only the start of EM and its path differ. "
        f"From the same start the gain in AP is {min(same):+.3f} to {max(same):+.3f}. In all "
        f"that was tried with {CONCEPTS} word topics (table at the end: other starts, a "
        f"stricter stop, more runs, smaller splits, fewer stories) the gain in AP is at most "
        f"{largest:+.3f}, and {found}."
    )


def extended_gain(grid: Grid) -> str:
    """The largest gain of the table of Ext-PLSA beside PLSA, in a sentence."""
    largest = max(record["AP gain"] for record in grid.records)
    return (
        f"In all that was tried with {CONCEPTS} word topics the gain of Ext-PLSA over PLSA in "
        f"AP is at most {largest:+.3f} (table: {grid.title})."
    )


def weight_trials(scope: Scope) -> dict[tuple[str, bool], Pair]:
    """PLSA and NMF on few documents, with counts and with weights as in the substitute."""
    if scope.quick:
        return {}
    named = {title: collections(scope)[title] for title in ("20Newsgroups", "WebKB")}
    return {
        (title, weights): (
            _trials(scope, "tenth", corpus, "plsa", weights=weights or None),
            _trials(scope, "tenth", corpus, "nmf", weights=weights or None, weighting="counts"),
        )
        for title, corpus in named.items()
        for weights in (False, True)
    }


def plan_weights(scope: Scope) -> list[Cell]:
    """All runs with counts and with weights."""
    return [each for pair in weight_trials(scope).values() for cells in pair for each in cells]


def weight_grid(scope: Scope, results: Results) -> tuple[list[Grid], str]:
    """PLSA beside NMF on few documents, and what it says of the substitute."""
    rows, scores = [], {}
    for (title, weights), pair in weight_trials(scope).items():
        plsa, nmf = (Row(title, "", [results[each] for each in cells], {}) for cells in pair)
        found = [beside(plsa, nmf, measure) for measure in MEASURES]
        rows.append([f"{title}, a tenth", "tf-idf weights" if weights else "counts", *found,
                     str(len(plsa.runs))])  # fmt: skip
        scores[title, weights] = plsa.mean("nmi"), nmf.mean("nmi")
    listed = "; ".join(
        f"{title}: PLSA {plain[0]:.2f}/{scores[title, True][0]:.2f}, "
        f"NMF {plain[1]:.2f}/{scores[title, True][1]:.2f}"
        for (title, weights), plain in scores.items()
        if not weights
    )
    headings = [
        "collection",
        "words as",
        *(f"{h}, PLSA against NMF" for h in MEASURES.values()),
    ]
    grid = Grid([*headings, "runs"], rows, title="PLSA and NMF on weights instead of counts")
    reason = (
        "The French substitute has 600 documents and weights instead of counts. Tried on a "
        f"tenth of other collections, NMI with counts/with weights: {listed}."
    )
    return ([grid], reason) if rows else ([], "")


def concept_trials(scope: Scope, title: str) -> dict[tuple[str, str], list[Cell]]:
    """Methods at the published number of concepts, with and without their priors."""
    corpus, words = collections(scope)[title], published.CONCEPTS[title]
    words = 10 if scope.quick else words
    found = {("MM", "no prior"): runs(scope, corpus, "MM"),
             ("MM", "prior 1.1"): runs(scope, corpus, WITH_PRIOR)}  # fmt: skip
    for label, prior in (("C-MM", 1.1), ("P-MM", 1.0)):
        own = "prior of the concepts 1.1, " if label == "C-MM" else ""
        found[label, f"{own}of the mixture 1.1"] = runs(scope, corpus, label, words)
        for each in dict.fromkeys((prior, 1.0)):
            name = "no prior" if each == 1.0 else f"{own}of the mixture none"
            found[label, name] = _trials(scope, "without_prior", corpus, METHODS[label],
                                         words=words, concept_prior=each)  # fmt: skip
    for note, settings in (
        ("prior of the concepts 1.1", {}),
        ("no prior", {"concept_prior": 1.0}),
    ):
        found["C-PLSA", note] = runs(scope, corpus, "C-PLSA", words, **settings)
    return found


def plan_concepts(scope: Scope) -> list[Cell]:
    """All runs with and without priors."""
    return [
        each
        for title in published.COLLECTIONS
        for cells in concept_trials(scope, title).values()
        for each in cells
    ]


def concept_rows(scope: Scope, results: Results) -> list[Row]:
    """The same as rows, whose note is the prior."""
    return [
        Row(title, label, [results[each] for each in cells], {}, prior)
        for title in published.COLLECTIONS
        for (label, prior), cells in concept_trials(scope, title).items()
    ]


def concept_grid(rows: Iterable[Row]) -> Grid:
    """MM and the methods with concepts, with and without priors."""
    lines = [
        [row.group, row.name, row.note,
         *(shown(row.mean(m), row.deviation(m)) for m in MEASURES), str(len(row.runs))]
        for row in rows
    ]  # fmt: skip
    headings = ["collection", "method", "prior", *MEASURES.values(), "runs"]
    return Grid(
        headings, lines, title="What the priors do, at the published number of concepts"
    )


def concept_reason(rows: Sequence[Row]) -> str:
    """How much of the scores is due to the priors."""
    found = {(row.group, row.name, row.note): row.mean("precision") for row in rows}
    groups = dict.fromkeys(row.group for row in rows)
    parts = []
    for name in dict.fromkeys(row.name for row in rows):
        notes = [note for _, each, note in found if each == name]
        with_prior = next(note for note in notes if note.endswith("1.1"))
        pairs = ", ".join(
            f"{group} {found[group, name, with_prior]:.2f}/{found[group, name, 'no prior']:.2f}"
            for group in groups
        )
        parts.append(f"{name} {pairs}")
    return (
        "AP with the priors/without any prior, at the published number of concepts (table of "
        f"priors): {'; '.join(parts)}."
    )
