"""The report as one page: no network, nothing from the corpus left unescaped."""

import base64
import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from coterie.findings import Summary
from coterie.findings.texts import NUMBERS, readable_word
from coterie.folders import RUN
from coterie.report import remarks
from coterie.report.figures import (
    calibration_chart,
    dendrogram,
    number_chart,
    objective_curve,
)
from coterie.report.payload import Payload
from coterie.report.wording import (
    counted,
    elapsed,
    measures,
    number,
    percent,
    thousands,
    times,
)

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

NO_BREAK_SPACE = "\u00a0"
FULL, LIGHT = "full", "light"
"""The page with every document, and the small one for sharing."""
GOLDEN_ANGLE = 137.508
N_SHOWN, N_FOLDED = 10, 200
N_OPEN = 12  # clusters up to which all cards are open
N_COLUMNS = 18  # clusters that a table in print has room for
MODULES = (
    "data", "search", "source", "state", "dom", "colours", "groups", "columns", "raster", "map",
    "documents", "words", "blocks", "levels", "contents", "page",
)  # fmt: skip
"""The modules of the front end, each after those it imports."""
IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def render(summary: Summary, *, run: str = "", payload: Payload | None = None) -> str:
    """Draw the summary as a self-contained HTML page, with the run that it belongs to.

    With a payload, the page also has a map, a search over all documents, and all else in
    `web/`. It asks for nothing from the network and its policy forbids it to: only its own
    style and its one script, both known by their hashes, are used. It reads well without
    the script.
    """
    from markupsafe import Markup

    script = _template("report.js") if payload is None else front_end()
    style = _template("report.css") + ("" if payload is None else _web("front.css"))
    return template("report.html.jinja").render(
        summary=summary,
        run=run,
        run_name=RUN,
        title=summary.title or "Clusters of documents",
        style=Markup(style),
        css=Styles(),
        content_hash=_content_hash,
        script=Markup(script),
        script_hash=_content_hash(script),
        parts={} if payload is None else payload.packed(),
        notes=[] if payload is None else payload.head["notes"],
        layout="" if payload is None else payload.head["layout"],
        n_open=N_OPEN,
        n_columns=N_COLUMNS,
        curve=objective_curve(summary.history),
        numbers=number_chart(summary.number),
        calibration=calibration_chart(summary.calibration),
        tree=dendrogram(summary.hierarchy),
        remarks=remarks,
        numbers_word=NUMBERS,
        n_shown=N_SHOWN,
        n_folded=N_FOLDED,
        table=_heat_table(summary),
        measures=measures(summary.scores) if summary.scores else [],
        hue=hue,
    )


class Styles:
    """What single elements look like, as rules of the style sheet.

    The policy knows the style sheet by its hash and forbids styles in elements.

    Examples
    --------
    >>> styles = Styles()
    >>> styles(("--hue", 200), ("width", "3%")), styles(("--hue", 200), ("width", "3%"))
    (Markup('data-css="0"'), Markup('data-css="0"'))
    >>> print(styles.rules())
    [data-css="0"]{--hue:200;width:3%}
    """

    def __init__(self) -> None:
        self._rules: dict[str, int] = {}

    def __call__(self, *declarations: tuple[str, Any]) -> "Markup":
        """The attribute of an element that looks so."""
        from markupsafe import Markup

        rule = ";".join(f"{name}:{value}" for name, value in declarations)
        if re.search(r"[^\w#%.:; -]", rule):
            raise ValueError(f"style {rule!r}: expected numbers")
        return Markup(f'data-css="{self._rules.setdefault(rule, len(self._rules))}"')

    def rules(self) -> "Markup":
        """The rules of all that was asked for."""
        from markupsafe import Markup

        rules = (f'[data-css="{at}"]{{{rule}}}' for rule, at in self._rules.items())
        return Markup("\n".join(rules))


def template(name: str) -> "Template":
    """A template that escapes all it is given and writes numbers as the page does."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        percent=lambda share: percent(share).replace(" ", NO_BREAK_SPACE),
        thousands=thousands,
        counted=counted,
        times=times,
        number=number,
        elapsed=elapsed,
        readable=readable_word,
    )
    return environment.from_string(_template(name))


def front_end() -> str:
    """The modules of the front end joined in one script, without imports and exports."""
    modules = (_web(f"{name}.js") for name in MODULES)
    return "\n".join(EXPORT.sub("", IMPORT.sub("", module)) for module in modules)


def _web(name: str) -> str:
    return files("coterie.report").joinpath("web", name).read_text(encoding="utf-8")


def _template(name: str) -> str:
    return files("coterie.report").joinpath("templates", name).read_text(encoding="utf-8")


def _content_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def hue(cluster: int) -> str:
    """The hue of a cluster in degrees, far on the wheel from those of its neighbours."""
    return f"{(200 + GOLDEN_ANGLE * (cluster - 1)) % 360:.0f}"


def _heat_table(summary: Summary) -> list[dict[str, Any]]:
    """Lay out the classes against the clusters, shades being shares of the class."""
    if summary.scores is None:
        return []
    contingency = summary.scores.contingency
    columns = {cluster: column for column, cluster in enumerate(contingency.clusters)}
    rows = []
    for name, counts in zip(contingency.classes, contingency.counts.tolist(), strict=True):
        size = sum(counts)
        cells = [
            (each.number, counts[columns[each.number]] if each.number in columns else 0)
            for each in summary.clusters
        ]
        rows.append(
            {
                "name": str(name),
                "cells": [(cluster, count, count / size) for cluster, count in cells],
                "size": size,
            }
        )
    return rows
