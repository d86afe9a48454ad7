"""Tables 3 and 5 of Pessiot et al.: precision, recall and NMI of every method."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coterie.evaluation import mark
from coterie_papers.cells import Cell, Results, Scores
from coterie_papers.combined import above_published, beside_published
from coterie_papers.comparison import Row, above, as_published, compare, significantly_above
from coterie_papers.items import Claim, Grid, Part, Scope, Sheet, Value
from coterie_papers.pessiot import published, tried
from coterie_papers.pessiot.setup import (
    FEWER_CONCEPTS,
    INCREMENTAL,
    LDA_RUNS,
    LEVEL,
    MEASURES,
    METHODS,
    OURS,
    WITH_CONCEPTS,
    WITH_PRIOR,
    best_row,
    collections,
    curve,
    row,
    runs,
    sizes,
    substitute,
)

MIXTURES = ("MM", "C-MM", WITH_PRIOR)
PRECISION = {"precision": "AP"}
SIDES = {0: "precision", 1: "recall"}
OTHERS = ("RCV2-French", "20Newsgroups", "WebKB")
INCREMENTAL_CONCEPTS = 25


def plan_table3(scope: Scope) -> list[Cell]:
    """MM on words, and on concepts, as many as were best in the paper."""
    return [
        each
        for title, corpus in collections(scope).items()
        for label in MIXTURES
        for each in runs(scope, corpus, label, _words(title, label))
    ] + tried.plan_concepts(scope)


def _words(title: str, label: str) -> int | None:
    return published.CONCEPTS[title] if label == "C-MM" else None


def present_table3(scope: Scope, results: Results) -> Sheet:
    """Precision and recall of every class, MM beside C-MM."""
    grids: list[Grid] = []
    averages: list[Row] = []
    classes: dict[str, tuple[int, int]] = {}
    for title in collections(scope):
        found = {
            label: row(scope, results, title, label, _words(title, label)) for label in MIXTURES
        }
        grids.append(_class_grid(title, {name: each.runs for name, each in found.items()}))
        averages += found.values()
        classes |= _class_shares(title, found["MM"], found["C-MM"])
    priors = tried.concept_rows(scope, results)
    claims = _table3_claims(averages, classes, tried.concept_reason(priors))
    pairs = "; ".join(
        f"{each.group} {each.name} {each.mean('precision'):.2f} ({each.published['precision']})"
        for each in averages
        if each.published
    )
    note = (
        "In brackets: published. Average precision and average recall are the same number. ↓ "
        "is the test between MM and C-MM. MM is that of the paper, without a prior; the last "
        "two columns are the mixture with a prior of 1.1, the default of Coterie."
    )
    parts: list[Part] = [note, *grids, tried.concept_grid(priors)]
    return Sheet(parts, tried.settled(claims), substitute(), f"AP ours (published): {pairs}")


def _table3_claims(
    averages: list[Row], classes: dict[str, tuple[int, int]], priors: str
) -> list[Claim]:
    higher = significantly_above(averages, "C-MM", "MM", PRECISION, LEVEL)
    most = {name: 2 * held > of for name, (held, of) in classes.items()}
    counts = ", ".join(f"{name} {held} of {of}" for name, (held, of) in classes.items())
    found = {each.name: each for each in averages if each.group == "Reuters-21578"}
    claims = [
        Claim("the average precision of C-MM is significantly better than that of MM", higher,
              reason=f"{tried.missed(averages, 'C-MM', 'MM', higher)} {priors}"),
        Claim("precision and recall of C-MM are significantly better in most classes", most,
              reason=f"Classes in which they are: {counts}. {priors}"),
    ]  # fmt: skip
    if all("trade" in run["classes"] for run in found["MM"].runs):
        recall = {name: _mean(each.runs, "trade", 1) for name, each in found.items()}
        visible = {"Reuters-21578": recall["C-MM"] > recall["MM"]}
        numbers = ", ".join(f"{name} {value:.2f}" for name, value in recall.items())
        claims.append(Claim("the small class trade becomes visible in the concept space",
                            visible, reason=f"Recall of trade: {numbers}."))  # fmt: skip
    return claims


def _class_shares(title: str, mixture: Row, concepts: Row) -> dict[str, tuple[int, int]]:
    """In how many classes C-MM is significantly better than MM, of how many."""
    shares = {}
    names = list(mixture.runs[0]["classes"])
    if len(mixture.runs) > 1:
        for place, side in SIDES.items():
            held = 0
            for name in names:
                two, one = (
                    Row(
                        title,
                        "",
                        [{side: run["classes"][name][place]} for run in each.runs],
                        {},
                    )
                    for each in (mixture, concepts)
                )
                held += tried.better(one, two, side)
            shares[f"{title}, {side}"] = held, len(names)
    return shares


def _mean(found: Sequence[Scores], name: str, place: int) -> float:
    values = [run["classes"][name][place] for run in found]
    return float(sum(values) / len(values))


def _class_grid(title: str, found: Mapping[str, Sequence[Scores]]) -> Grid:
    names = [n for t, n in published.CLASSES if t == title and n != "Average"]
    own = {published.OUR_CLASSES.get(name, name): name for name in names}
    classes = found["MM"][0]["classes"]
    order = [name for name in own if name in classes] or list(classes)
    columns = [(place, label) for place in SIDES for label in ("MM", "C-MM")]
    columns += [(place, WITH_PRIOR) for place in SIDES]
    rows, records = [], []
    for name in [*order, "Average"]:
        theirs = published.CLASSES.get((title, own.get(name, name)), [None] * 4)
        numbers: list[Value | None] = [*theirs, None, None]
        scores = {
            (place, label): [
                run["precision"] if name == "Average" else run["classes"][name][place]
                for run in found[label]
            ]
            for place, label in columns
        }
        cells = []
        for number, column in enumerate(columns):
            value = _with_mark(scores, column)
            cells.append(value if numbers[number] is None else f"{value} ({numbers[number]})")
        rows.append([own.get(name, name), *cells])
        records.append({"class": name, "scores": {f"{'pr'[p]} {m}": v for (p, m), v in
                                                  scores.items()}})  # fmt: skip
    headings = [f"{SIDES[place]} {label}" for place, label in columns]
    return Grid(["class", *headings], rows, records, title=title)


def _with_mark(scores: dict[tuple[int, str], list[float]], column: tuple[int, str]) -> str:
    place, label = column
    pair = {name: scores[place, name] for name in ("MM", "C-MM")}
    values = scores[column]
    worse = label in pair and len(values) > 1 and mark(pair, LEVEL)[label]
    return f"{sum(values) / len(values):.2f}{' ↓' if worse else ''}"


def plan_table5(scope: Scope) -> list[Cell]:
    """Every method on every collection, those with concepts at all numbers of them."""
    cells = []
    for title, corpus in collections(scope).items():
        for label in METHODS:
            for words in sizes(scope, title, label) if label in WITH_CONCEPTS else (None,):
                cells += runs(scope, corpus, label, words)
        for label in OURS:
            cells += runs(scope, corpus, label, _own_words(label))
    more = (tried.plan_drawn, tried.plan_extended, tried.plan_concepts, tried.plan_weights)
    return cells + [each for plan in more for each in plan(scope)]


def _own_words(label: str) -> int | None:
    return INCREMENTAL_CONCEPTS if label == INCREMENTAL else None


def present_table5(scope: Scope, results: Results) -> Sheet:
    """Best average precision and its NMI."""
    rows = []
    for title in collections(scope):
        rows += [best_row(scope, results, title, label) for label in METHODS]
        rows += [row(scope, results, title, label, _own_words(label)) for label in OURS]
    drawn, extended = tried.drawn_rows(scope, results), tried.extended_grid(scope, results)
    priors = tried.concept_rows(scope, results)
    weights, french = tried.weight_grid(scope, results)
    claims = [
        *_pair_claims(rows, drawn, tried.concept_reason(priors), french,
                      _beside_lda(scope, results, rows)),
        *_extended_claims(rows, drawn, extended),
        Claim("Ext-PLSA after the incremental vocabulary is above Ext-PLSA",
              above(rows, INCREMENTAL, "Ext-PLSA", MEASURES), ours=True),
        above_published(rows, MEASURES),
    ]  # fmt: skip
    grids = compare([*rows, *drawn], MEASURES, LEVEL)
    headline = "; ".join(
        f"{each.group} {each.name} {each.mean('precision'):.2f}/{each.mean('nmi'):.2f} "
        f"({each.published['precision']}/{each.published['nmi']})"
        for each in rows
        if each.name in ("C-MM", "Ext-PLSA")
    )
    headline = f"AP/NMI ours (published): {headline}; {beside_published(rows, MEASURES)}"
    parts: list[Part] = [
        _table5_note(scope),
        *grids,
        extended,
        tried.concept_grid(priors),
        *weights,
    ]
    notes = [_auto_note(), *_stories_note(rows, drawn)]
    return Sheet(parts, tried.settled(claims), substitute(), headline, notes)


def _table5_note(scope: Scope) -> str:
    chosen = {title: sizes(scope, title) for title in collections(scope)}
    most = max(chosen.values(), key=len)
    ends = "; ".join(
        f"{title} ends at {each[-1]}" for title, each in chosen.items() if each != most
    )
    fewer = "; ".join(
        f"{label} has {', '.join(map(str, each))} only"
        for label, each in FEWER_CONCEPTS.items()
    )
    limits = "; ".join(filter(None, (ends, fewer)))
    few = f"LDA, which is slow, has {LDA_RUNS}"
    return (
        f"Each of {scope.runs} runs leaves out another tenth of every class and has its own "
        f"seed; {few}. MM, Kmeans and NMF are those of the paper: no prior, and frequencies of "
        "words. As in the paper, the number of concepts is the best by average precision, of "
        f"{len(most)} numbers: {', '.join(map(str, most))} ({limits}). "
        "This is a maximum over noisy means, which favours methods with concepts over those "
        "without."
    )  # fmt: skip


def _auto_note() -> str:
    return (
        "`auto` uses only the texts. It is compared with published values for which the number "
        "of concepts was chosen by the classes."
    )


def _stories_note(rows: list[Row], drawn: list[Row]) -> list[str]:
    """Whether scores on as many stories as the paper's are nearer to the published ones."""
    whole = {each.name: each for each in rows if each.group == "Reuters-21578"}
    pairs = ", ".join(
        f"{each.name} {whole[each.name].mean('precision'):.2f}/{each.mean('precision'):.2f} "
        f"({each.published['precision']})"
        for each in drawn
    )
    return [
        "The paper does not say which 4,335 stories of Reuters-21578 it used. AP on all "
        f"stories/on 4,335 drawn with its shares of classes (published): {pairs}."
    ] * bool(drawn)


def _beside_lda(scope: Scope, results: Results, rows: list[Row]) -> str:
    """Ext-PLSA where LDA is above: on the splits that LDA has, and with any other number."""
    parts = []
    for lda in (each for each in rows if each.name == "LDA"):
        tries = curve(scope, results, lda.group, "Ext-PLSA")
        ours = max(tries, key=lambda each: each.mean("precision"))
        if all(ours.mean(measure) > lda.mean(measure) for measure in MEASURES):
            continue
        n = len(lda.runs)
        same = replace(ours, runs=ours.runs[:n])
        on_same = ", ".join(
            f"{heading} {same.mean(measure):.3f} against {lda.mean(measure):.3f}"
            for measure, heading in MEASURES.items()
        )
        most = ", ".join(
            f"{heading} {max(each.mean(measure) for each in tries):.3f}"
            for measure, heading in MEASURES.items()
        )
        parts.append(
            f"{lda.group}: on the {n} splits that LDA was fitted to, {on_same}; over all "
            f"numbers of concepts it has at most {most}"
        )
    return f"Tried: {'; '.join(parts)}." if parts else ""


def _pair_claims(
    rows: list[Row], drawn: list[Row], priors: str, french: str, lda: str
) -> list[Claim]:
    """Statements that one method is above another."""
    some = [each for each in rows if each.group in OTHERS]
    raised = [each for each in rows if each.group != "RCV2-French"]
    forms = (
        ("PLSA is above MM", "PLSA", "MM", above(rows, "PLSA", "MM", MEASURES)),
        ("C-MM is above MM", "C-MM", "MM", above(rows, "C-MM", "MM", MEASURES)),
        ("C-MM is above P-MM, or equal where it is in the published table", "C-MM", "P-MM",
         as_published(rows, "C-MM", "P-MM", MEASURES, LEVEL)),
        ("C-PLSA is above PLSA, or equal where it is in the published table (Reuters-21578, "
         "20Newsgroups, WebKB)", "C-PLSA", "PLSA",
         as_published(raised, "C-PLSA", "PLSA", MEASURES, LEVEL)),
        ("PLSA is above NMF (RCV2-French, 20Newsgroups, WebKB)", "PLSA", "NMF",
         above(some, "PLSA", "NMF", MEASURES)),
        ("Ext-PLSA is above LDA", "Ext-PLSA", "LDA", above(rows, "Ext-PLSA", "LDA", MEASURES)),
        ("Ext-PLSA is above NMF, or equal where it is in the published table", "Ext-PLSA",
         "NMF", as_published(rows, "Ext-PLSA", "NMF", MEASURES, LEVEL)),
    )  # fmt: skip
    claims = []
    for text, first, second, verdicts in forms:
        of_second = {"NMF": french, "LDA": lda}
        tests = priors if first in ("C-MM", "C-PLSA") else of_second.get(second, "")
        reason = _reason(rows, drawn, first, second, verdicts)
        claims.append(Claim(text, verdicts, reason=f"{reason} {tests}".strip()))
    ratio = {
        each.name: each.mean("nmi") for each in rows if each.group == "WebKB" and each.published
    }
    times = ratio["C-MM"] / ratio["MM"] if ratio["MM"] > 0 else float("inf")
    text = "on WebKB the NMI of C-MM is three times that of MM"
    return [*claims, Claim(text, {"WebKB": times >= 2.5},
                           reason=f"It is {times:.1f} times that of MM.")]  # fmt: skip


def _reason(
    rows: list[Row], drawn: list[Row], first: str, second: str, verdicts: Mapping[str, bool]
) -> str:
    """Where a comparison fails, and how it is on as many stories as the paper has."""
    reason = tried.missed(rows, first, second, verdicts)
    found = {each.name: each for each in drawn}
    failed = any(not held and name.startswith("Reuters") for name, held in verdicts.items())
    if failed and first in found and second in found:
        pairs = "; ".join(
            f"{heading} {tried.beside(found[first], found[second], measure)}"
            for measure, heading in MEASURES.items()
        )
        reason += f" On 4,335 stories: {pairs}."
    return reason


def _extended_claims(rows: list[Row], drawn: list[Row], extended: Grid) -> list[Claim]:
    """Statements on the best Ext-PLSA."""
    why = tried.extended_reason(extended)
    above_plsa = significantly_above(rows, "Ext-PLSA", "PLSA", MEASURES, LEVEL)
    shares, near, gaps = {}, {}, []
    for title in published.COLLECTIONS:
        found = {each.name: each for each in rows if each.group == title}
        ours, others = found["Ext-PLSA"], set(METHODS) - {"Ext-PLSA", "C-MM"}
        held = sum(tried.better(ours, found[o], m) for o in others for m in MEASURES)
        theirs = sum(bool(v and v.worse) for o in others
                     for v in published.best(o, title).values())  # fmt: skip
        shares[title] = held, theirs, 2 * len(others)
        for measure, heading in MEASURES.items():
            said = found["C-MM"].published[measure]
            if said and not said.worse:
                near[f"{title}, {heading}"] = not tried.better(ours, found["C-MM"], measure)
        gaps.append(f"{title} {tried.beside(ours, found['C-MM'], 'precision')}")
    counts = ", ".join(f"{t} {h} of {n} (published {p})" for t, (h, p, n) in shares.items())
    text = "the best Ext-PLSA is significantly better than almost all models except C-MM"
    return [
        Claim("Ext-PLSA is significantly better than PLSA", above_plsa,
              reason=f"{_reason(rows, drawn, 'Ext-PLSA', 'PLSA', above_plsa)} {why}"),
        Claim(f"{text}: in most comparisons",
              {title: 2 * held > of for title, (held, _, of) in shares.items()},
              reason=f"Comparisons with other models in which it is: {counts}. "
              f"{tried.extended_gain(extended)}"),
        Claim("C-MM behaves nearly as the best Ext-PLSA: not significantly worse where the "
              "published table has no mark", near,
              reason=f"AP of Ext-PLSA against C-MM: {'; '.join(gaps)}."),
    ]  # fmt: skip
