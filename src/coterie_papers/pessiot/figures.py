"""Figures 2 and 3 of Pessiot et al.: scores by number of concepts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from coterie_papers.cells import Cell, Results
from coterie_papers.comparison import Row, as_published, shown
from coterie_papers.items import PUBLISHED, Chart, Claim, Grid, Line, Part, Scope, Sheet, Value
from coterie_papers.pessiot import published, tried
from coterie_papers.pessiot.setup import (
    LEVEL,
    MEASURES,
    WITH_PRIOR,
    best,
    collections,
    curve,
    row,
    runs,
    sizes,
    substitute,
)

FIGURES = {"pessiot-figure2": ("C-MM", "P-MM"), "pessiot-figure3": ("C-PLSA", "Ext-PLSA")}
LEVELS = {
    "pessiot-figure2": ("MM", WITH_PRIOR, "PLSA"),
    "pessiot-figure3": ("PLSA", "Kmeans", "NMF"),
}
BIG_GAP = ("RCV2-French", "20Newsgroups", "WebKB")
"""Where the paper sees the largest gaps between PLSA and NMF, which is above on the fourth."""


@dataclass(frozen=True)
class Panel:
    """What a figure shows of one collection: curves by number of concepts, and levels."""

    title: str
    curves: Mapping[str, Sequence[Row]]
    levels: Mapping[str, Row]

    def best(self, label: str) -> Row:
        """A method at its best number of concepts."""
        return best(self.curves[label]) if label in self.curves else self.levels[label]

    def rows(self) -> list[Row]:
        """All there is."""
        return [
            *(each for rows in self.curves.values() for each in rows),
            *self.levels.values(),
        ]


Panels = Mapping[str, Panel]


def _plan_figure(name: str, scope: Scope) -> list[Cell]:
    cells = []
    for title, corpus in collections(scope).items():
        for label in LEVELS[name]:
            cells += runs(scope, corpus, label)
        for label in FIGURES[name]:
            for words in sizes(scope, title):
                cells += runs(scope, corpus, label, words)
    if name == "pessiot-figure2":
        return cells + tried.plan_concepts(scope)
    return cells + tried.plan_extended(scope) + tried.plan_weights(scope)


def _panels(name: str, scope: Scope, results: Results) -> Panels:
    return {
        title: Panel(
            title,
            {label: curve(scope, results, title, label) for label in FIGURES[name]},
            {label: row(scope, results, title, label) for label in LEVELS[name]},
        )
        for title in collections(scope)
    }


def present_figure2(scope: Scope, results: Results) -> Sheet:
    """The mixture in concept spaces, beside the mixture and PLSA on words."""
    panels = _panels("pessiot-figure2", scope, results)
    priors = tried.concept_rows(scope, results)
    claims = _figure2_claims(panels, tried.concept_reason(priors))
    return _sheet(panels, claims, [_figure2_text(panels)], [tried.concept_grid(priors)])


def present_figure3(scope: Scope, results: Results) -> Sheet:
    """Ext-PLSA and PLSA in concept spaces, beside PLSA, k-means and NMF on words."""
    panels = _panels("pessiot-figure3", scope, results)
    extended = tried.extended_grid(scope, results)
    weights, french = tried.weight_grid(scope, results)
    claims = _figure3_claims(panels, extended, french)
    return _sheet(panels, claims, [_figure3_text(panels)], [extended, *weights])


def _sheet(
    panels: Panels, claims: list[Claim], texts: Sequence[Grid], more: Sequence[Grid]
) -> Sheet:
    charts = [_chart(panel, measure) for panel in panels.values() for measure in MEASURES]
    rows = [each for panel in panels.values() for each in panel.rows()]
    headline = "; ".join(f"{claim.text}: {_share(claim)}" for claim in claims)
    parts: list[Part] = [published.FIGURES, *charts, *texts, *compare_sizes(rows), *more]
    return Sheet(parts, tried.settled(claims), substitute(), headline)


def _chart(panel: Panel, measure: str) -> Chart:
    lines = [
        Line(label, [_size(each) for each in rows], [each.mean(measure) for each in rows],
             [each.deviation(measure) or 0.0 for each in rows])
        for label, rows in panel.curves.items()
    ]  # fmt: skip
    ends = [lines[0].x[0], lines[0].x[-1]]
    for label, level in panel.levels.items():
        lines.append(Line(label, ends, [level.mean(measure)] * 2))
        theirs = level.published.get(measure)
        if isinstance(theirs, Value):
            lines.append(Line(label + PUBLISHED, ends, [theirs.mean] * 2, dashed=True))
    slug = panel.title.lower().replace(" ", "-")
    score = "average precision" if measure == "precision" else "NMI"
    heading = f"{panel.title}: {score} by number of concepts"
    return Chart(f"{slug}-{measure}", heading, "number of concepts", score, lines)


def _size(each: Row) -> int:
    return int(each.note.partition(" ")[0])


def compare_sizes(rows: list[Row]) -> list[Grid]:
    """The numbers behind the curves."""
    table = [
        [row.group, row.name, row.note,
         *(shown(row.mean(m), row.deviation(m)) for m in MEASURES), str(len(row.runs))]
        for row in rows
    ]  # fmt: skip
    records = [
        {"group": row.group, "name": row.name, "note": row.note,
         **{m: {"mean": row.mean(m), "deviation": row.deviation(m)} for m in MEASURES}}
        for row in rows
    ]  # fmt: skip
    headings = ["collection", "method", "concepts", *MEASURES.values(), "runs"]
    return [Grid(headings, table, records, title="The numbers")]


def _points(one: Row, two: Row, measure: str) -> float:
    return 100 * (one.mean(measure) - two.mean(measure))


def _figure2_text(panels: Panels) -> Grid:
    """The numbers that the text says of Figure 2."""
    rows = []
    for title, panel in panels.items():
        for measure, heading in MEASURES.items():
            gap = _points(panel.levels["PLSA"], panel.levels["MM"], measure)
            said = f"{published.GAPS[measure]}" if title == "WebKB" else ""
            rows.append([f"{title}: points of {heading} of PLSA above MM", f"{gap:.0f}", said])
    rows += [
        [f"{title}: best number of concepts of C-MM", str(_size(panel.best("C-MM"))),
         str(published.CONCEPTS[title])]
        for title, panel in panels.items()
    ]  # fmt: skip
    return Grid(["", "ours", "published"], rows, title="What the text says in numbers")


def _figure3_text(panels: Panels) -> Grid:
    """The numbers that the text says of Figure 3."""
    rows = []
    for title, (size, points) in published.GAINS.items():
        top, plsa = panels[title].best("Ext-PLSA"), panels[title].levels["PLSA"]
        gain = _points(top, plsa, "precision")
        rows += [[f"{title}: best number of concepts of Ext-PLSA", str(_size(top)), str(size)],
                 [f"{title}: points of AP of Ext-PLSA above PLSA there", f"{gain:.0f}",
                  str(points)]]  # fmt: skip
    return Grid(["", "ours", "published"], rows, title="What the text says in numbers")


def _at_best(panels: Panels, first: str, second: str, titles: Sequence[str] = ()) -> Claim:
    """Whether the first is above the second, each at its best number of concepts."""
    verdicts, rows = {}, []
    for title in titles or panels:
        one, two = panels[title].best(first), panels[title].best(second)
        rows += [one, two]
        for measure, heading in MEASURES.items():
            verdicts[f"{title}, {heading}"] = one.mean(measure) > two.mean(measure)
    return Claim("", verdicts, reason=tried.missed(rows, first, second, verdicts))


def _at_best_of_each(panels: Panels, first: str, second: str) -> str:
    """Where a method at its best AP is not above in NMI: how it is at its best NMI."""
    parts = []
    for title, panel in panels.items():
        one, two = panel.best(first), panel.best(second)
        if one.mean("nmi") > two.mean("nmi"):
            continue
        top = max(panel.curves[first], key=lambda each: each.mean("nmi"))
        parts.append(
            f"{title} {one.note} by AP; {top.note} by NMI, there "
            f"{tried.beside(top, two, 'nmi')}"
        )
    return f"The best number of concepts: {'; '.join(parts)}." if parts else ""


def _figure2_claims(panels: Panels, priors: str) -> list[Claim]:
    claims = [_named("PLSA is above MM", _at_best(panels, "PLSA", "MM"), priors)]
    gaps = {m: {t: _points(p.levels["PLSA"], p.levels["MM"], m) for t, p in panels.items()}
            for m in MEASURES}  # fmt: skip
    listed = "; ".join(
        f"{heading} " + ", ".join(f"{title} {gap:.0f}" for title, gap in gaps[measure].items())
        for measure, heading in MEASURES.items()
    )
    claims.append(
        Claim("the gap between PLSA and MM is largest on WebKB",
              {heading: max(gaps[m], key=lambda title: gaps[m][title]) == "WebKB"
               for m, heading in MEASURES.items()},
              reason=f"Points: {listed}. {priors}")
    )  # fmt: skip
    for label in FIGURES["pessiot-figure2"]:
        claims.append(_at_various_sizes(panels, label, priors))
    for label in FIGURES["pessiot-figure2"]:
        verdicts = {
            f"{title}, {heading}": not tried.better(panel.levels["PLSA"], panel.best(label), m)
            for title, panel in panels.items()
            for m, heading in MEASURES.items()
        }
        rows = [each for p in panels.values() for each in (p.best(label), p.levels["PLSA"])]
        why = f"{tried.missed(rows, label, 'PLSA', verdicts)} {priors}"
        text = f"{label} is comparable to PLSA: not significantly worse"
        claims.append(Claim(text, verdicts, reason=why))
    rows = [panel.best(label) for panel in panels.values() for label in ("C-MM", "P-MM")]
    verdicts = as_published(rows, "C-MM", "P-MM", MEASURES, LEVEL)
    text = "C-MM at its best is above P-MM at its best, or equal where it is in Table 5"
    why = f"{tried.missed(rows, 'C-MM', 'P-MM', verdicts)} {priors}"
    return [*claims, Claim(text, verdicts, reason=why), _few(panels)]


def _named(text: str, claim: Claim, more: str = "") -> Claim:
    return Claim(text, claim.verdicts, reason=f"{claim.reason} {more}".strip())


def _at_various_sizes(panels: Panels, label: str, priors: str) -> Claim:
    """Whether a method is significantly above MM at most numbers of concepts."""
    counts = {
        f"{title}, {heading}": (
            sum(tried.better(each, panel.levels["MM"], m) for each in panel.curves[label]),
            len(panel.curves[label]),
        )
        for title, panel in panels.items()
        for m, heading in MEASURES.items()
    }
    listed = ", ".join(f"{name} at {held} of {of}" for name, (held, of) in counts.items())
    return Claim(f"{label} is significantly above MM for most numbers of concepts",
                 {name: 2 * held > of for name, (held, of) in counts.items()},
                 reason=f"Numbers of concepts: {listed}. {priors}")  # fmt: skip


def _few(panels: Panels) -> Claim:
    """Whether no number of concepts is significantly better than the published few."""
    verdicts, parts = {}, []
    for title, panel in panels.items():
        rows = panel.curves["C-MM"]
        size = min(published.CONCEPTS[title], _size(rows[-1]))
        few = min(rows, key=lambda each: abs(_size(each) - size))
        top = best(rows)
        verdicts[title] = not tried.better(top, few, "precision")
        parts.append(f"{title} {top.note} against {few.note}: "
                     f"{tried.beside(top, few, 'precision')}")  # fmt: skip
    text = "few concepts are best for C-MM: none is significantly better than 10 (WebKB: 20)"
    return Claim(text, verdicts, reason=f"AP: {'; '.join(parts)}.")


def _every_size(
    panels: Panels,
    title: str,
    pair: tuple[str, str],
    measures: Mapping[str, str],
    skip: int = 0,
) -> tuple[dict[str, bool], str]:
    """Whether the first is above the second at every number of concepts, and where not."""
    first, second = pair
    panel, verdicts, parts = panels[title], {}, []
    others = panel.curves.get(second, [panel.best(second)] * len(panel.curves[first]))
    for measure, heading in measures.items():
        for one, two in zip(panel.curves[first], others, strict=True):
            if _size(one) != skip:
                held = one.mean(measure) > two.mean(measure)
                verdicts[f"{title}, {one.note}, {heading}"] = held
                if not held:
                    numbers = tried.beside(one, two, measure)
                    parts.append(f"{title}, {one.note}, {heading} {numbers}")
    return verdicts, "; ".join(parts)


def _figure3_claims(panels: Panels, extended: Grid, french: str) -> list[Claim]:
    why = tried.extended_gain(extended)
    pair, precision = ("Ext-PLSA", "PLSA"), {"precision": "AP"}
    reuters, reuters_not = _every_size(panels, "Reuters-21578", pair, precision)
    groups, groups_not = _every_size(panels, "20Newsgroups", pair, precision)
    webkb, webkb_not = _every_size(panels, "WebKB", pair, MEASURES, skip=10)
    below, below_not = _every_size(panels, "20Newsgroups", ("Ext-PLSA", "C-PLSA"), MEASURES)
    where = "; ".join(filter(None, (reuters_not, groups_not)))
    return [
        Claim("Ext-PLSA has a higher AP than PLSA for any number of concepts (Reuters-21578, "
              "20Newsgroups)", reuters | groups,
              reason=f"Not at {where}. {tried.extended_reason(extended)}"),
        _gain(panels, why),
        Claim("on WebKB Ext-PLSA is above PLSA except with 10 concepts", webkb,
              reason=f"Not at {webkb_not}. {why}"),
        _named("Ext-PLSA at its best is above PLSA", _at_best(panels, "Ext-PLSA", "PLSA"),
               f"{_at_best_of_each(panels, 'Ext-PLSA', 'PLSA')} {why}".strip()),
        _similar(panels),
        Claim("on 20Newsgroups C-PLSA is below Ext-PLSA for any number of concepts", below,
              reason=f"Not at {below_not}."),
        _named("PLSA is above NMF (RCV2-French, 20Newsgroups, WebKB)",
               _at_best(panels, "PLSA", "NMF", BIG_GAP), french),
        _named("PLSA is above Kmeans", _at_best(panels, "PLSA", "Kmeans")),
    ]  # fmt: skip


def _gain(panels: Panels, why: str) -> Claim:
    """Whether the best Ext-PLSA gains as many points over PLSA as the text says."""
    verdicts, parts = {}, []
    for title, (_, points) in published.GAINS.items():
        top, plsa = panels[title].best("Ext-PLSA"), panels[title].levels["PLSA"]
        gain = _points(top, plsa, "precision")
        verdicts[title] = round(gain) >= points
        parts.append(f"{title} {gain:.1f} at {top.note}")
    said = " and ".join(f"{points}" for _, points in published.GAINS.values())
    return Claim(f"Ext-PLSA gains {said} points of AP over PLSA (Reuters-21578, 20Newsgroups)",
                 verdicts, reason=f"Gains: {'; '.join(parts)}. {why}")  # fmt: skip


def _similar(panels: Panels) -> Claim:
    """Whether C-PLSA is within the largest published distance of Ext-PLSA, or above it."""
    gaps, theirs = {}, []
    for title in ("Reuters-21578", "WebKB"):
        one, two = panels[title].best("C-PLSA"), panels[title].best("Ext-PLSA")
        for measure, heading in MEASURES.items():
            gaps[f"{title}, {heading}"] = _points(two, one, measure)
            said, other = two.published[measure], one.published[measure]
            theirs.append(round(100 * (said.mean - other.mean)) if said and other else 0)
    listed = "; ".join(f"{name} {gap:.0f}" for name, gap in gaps.items())
    return Claim("C-PLSA performs similarly to Ext-PLSA (Reuters-21578, WebKB): at most "
                 f"{max(theirs)} points below, as published",
                 {name: round(gap) <= max(theirs) for name, gap in gaps.items()},
                 reason=f"Points by which Ext-PLSA is above: {listed}. C-PLSA without the "
                 "prior of its concepts is on the page of pessiot-figure2.")  # fmt: skip


def _share(claim: Claim) -> str:
    return f"{sum(claim.verdicts.values())} of {len(claim.verdicts)}"


plan_figure2 = partial(_plan_figure, "pessiot-figure2")
plan_figure3 = partial(_plan_figure, "pessiot-figure3")
