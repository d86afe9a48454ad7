"""The table of a comparison: mean, deviation and marks, in several formats."""

import csv
import io
import json
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coterie.errors import InputError
from coterie.evaluation import mark

LEVEL = 0.05
BEST, EQUAL = "best", "equal"
NO_VALUE = "–"


class Measure(NamedTuple):
    """A column: its name in data, its heading, decimals, and whether more is better."""

    name: str
    heading: str
    decimals: int = 3
    more_is_better: bool = True


MEASURES = (
    Measure("ap", "AP"),
    Measure("nmi", "NMI"),
    Measure("ari", "ARI"),
    Measure("npmi", "NPMI"),
    Measure("c_v", "C_V"),
    Measure("diversity", "Diversity"),
    Measure("stability", "Stability"),
    Measure("silhouette", "Silhouette"),
    Measure("seconds", "Seconds", 2, False),
    Measure("megabytes", "MB", 0, False),
)


class Run(NamedTuple):
    """One fit: its method and seed, and the scores that could be computed, by name."""

    method: str
    seed: int
    scores: dict[str, float]


class Cell(NamedTuple):
    """Mean and deviation (n - 1) over runs; None where there is none.

    `mark` is "best", "equal" (not significantly worse than the best) or "".
    """

    mean: float | None
    deviation: float | None
    mark: str = ""


@dataclass(frozen=True)
class ComparisonTable:
    """Scores of methods over runs, a row a method.

    Examples
    --------
    >>> runs = [Run("mm", 0, {"nmi": 0.5}), Run("mm", 1, {"nmi": 0.6})]
    >>> print(ComparisonTable(runs, n_clusters=3).to_csv())
    method,runs,nmi,nmi_deviation,nmi_mark
    mm,2,0.55,0.07071067811865474,best
    <BLANKLINE>
    """

    runs: list[Run]
    n_clusters: int
    level: float = LEVEL
    interrupted: bool = False

    @property
    def methods(self) -> list[str]:
        """Names of the methods, in order."""
        return list(dict.fromkeys(run.method for run in self.runs))

    @property
    def measures(self) -> list[Measure]:
        """The measures that some run has."""
        return [each for each in MEASURES if any(each.name in run.scores for run in self.runs)]

    def scores(self, method: str, measure: str) -> list[float]:
        """Scores of the runs of a method."""
        runs = [run.scores for run in self.runs if run.method == method]
        return [scores[measure] for scores in runs if measure in scores]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A row for each method: its name, number of runs, and a `Cell` for each measure."""
        columns = {measure.name: self._column(measure) for measure in self.measures}
        return [
            {
                "method": method,
                "runs": self._n_runs[method],
                **{name: cells[method] for name, cells in columns.items()},
            }
            for method in self.methods
        ]

    @property
    def can_be_tested(self) -> bool:
        """Whether there are runs enough for the rank-sum test to find any difference."""
        fewest = min(self._n_runs.values())
        return 2 / math.comb(2 * fewest, fewest) < self.level

    @property
    def _n_runs(self) -> dict[str, int]:
        return {m: sum(run.method == m for run in self.runs) for m in self.methods}

    def _column(self, measure: Measure) -> dict[str, Cell]:
        scores = {method: self.scores(method, measure.name) for method in self.methods}
        sign = 1 if measure.more_is_better else -1
        signed = {m: [sign * each for each in values] for m, values in scores.items() if values}
        best = max(signed, key=lambda method: float(np.mean(signed[method])))
        marks = dict.fromkeys(self.methods, "") | {best: BEST}
        tested = {m: values for m, values in signed.items() if len(values) > 1}
        if self.can_be_tested and best in tested:
            worse = mark(tested, self.level)
            marks |= {m: EQUAL for m, is_worse in worse.items() if not is_worse and m != best}
        return {method: _cell(values, marks[method]) for method, values in scores.items()}

    @property
    def caption(self) -> str:
        """What the table shows, and what its marks mean."""
        numbers = sorted(set(self._n_runs.values()))
        runs = f"{numbers[0]}" if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
        noun = "run" if numbers == [1] else "runs"
        sentences = [
            f"Mean ± standard deviation over {runs} {noun}, {self.n_clusters} clusters.",
            "Bold: best mean.",
        ]
        if self.can_be_tested:
            sentences.append(
                f"†: not significantly worse than the best (rank-sum test, {self.level:g})."
            )
        else:
            sentences.append(f"Too few runs for a rank-sum test at {self.level:g}.")
        if self.interrupted:
            sentences.append("Stopped by Ctrl-C: finished runs only.")
        return " ".join(sentences)

    def to_markdown(self) -> str:
        """The table in Markdown, with its caption below."""
        dressed = {BEST: "**{}**", EQUAL: "{} †", "": "{}"}
        lines = self.texts(lambda text, sign: dressed[sign].format(text))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        rule = ["-" * width for width in widths]
        padded = [
            " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
            for line in (lines[0], rule, *lines[1:])
        ]
        return "\n".join(f"| {line} |" for line in padded) + f"\n\n{self.caption}\n"

    def to_latex(self) -> str:
        """The table in LaTeX, for the package booktabs."""
        dressed = {BEST: r"\textbf{{{}}}", EQUAL: r"{}$^\dagger$", "": "{}"}
        lines = self.texts(lambda text, sign: dressed[sign].format(text))
        head, *body = [" & ".join(map(_latex, line)) + r" \\" for line in lines]
        content = [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_latex(self.caption)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(lines[0]) - 1)}}}",
            *(r"\toprule", head, r"\midrule", *body, r"\bottomrule"),
            r"\end{tabular}",
            r"\end{table}",
        ]
        return "\n".join(content) + "\n"

    def to_csv(self) -> str:
        """The table as CSV, every number in full: mean, deviation and mark of each measure."""
        written = io.StringIO()
        records = self._records()
        writer = csv.DictWriter(written, fieldnames=list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        return written.getvalue()

    def to_json(self) -> str:
        """The table and every run as JSON."""
        runs = [{"method": run.method, "seed": run.seed, **run.scores} for run in self.runs]
        rows = [
            {
                name: each._asdict() if isinstance(each, Cell) else each
                for name, each in row.items()
            }
            for row in self.rows
        ]
        content = {
            "n_clusters": self.n_clusters,
            "level": self.level,
            "interrupted": self.interrupted,
            "rows": rows,
            "runs": runs,
        }
        return json.dumps(content, indent=1, allow_nan=False)

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, where pandas is installed."""
        try:
            import pandas as pd
        except ImportError as error:
            raise InputError("to_frame needs pandas; install it, or use `rows`") from error
        return pd.DataFrame(self._records()).set_index("method")

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table in the format that the name of the file says."""
        Path(path).write_text(writer_of(path)(self), encoding="utf-8")

    def _records(self) -> list[dict[str, Any]]:
        records = []
        for row in self.rows:
            record = {"method": row["method"], "runs": row["runs"]}
            for measure in self.measures:
                cell, name = row[measure.name], measure.name
                record |= {name: cell.mean, f"{name}_deviation": cell.deviation}
                record[f"{name}_mark"] = cell.mark
            records.append(record)
        return records

    def texts(self, dress: Callable[[str, str], str]) -> list[list[str]]:
        """Headings and cells as text; `dress` gets a text and its mark."""
        lines = [["Method", *(measure.heading for measure in self.measures)]]
        for row in self.rows:
            cells = [(row[each.name], each.decimals) for each in self.measures]
            shown = [dress(_written(cell, decimals), cell.mark) for cell, decimals in cells]
            lines.append([row["method"], *shown])
        return lines


FORMATS: dict[str, Callable[[ComparisonTable], str]] = {
    ".md": ComparisonTable.to_markdown,
    ".csv": ComparisonTable.to_csv,
    ".tex": ComparisonTable.to_latex,
    ".json": ComparisonTable.to_json,
}


def writer_of(path: str | os.PathLike[str]) -> Callable[[ComparisonTable], str]:
    """What writes a table for a file of that name.

    Examples
    --------
    >>> writer_of("table.doc")
    Traceback (most recent call last):
    coterie.errors.InputError: table.doc: expected a name that ends in .md, .csv, .tex, .json
    """
    if Path(path).suffix not in FORMATS:
        raise InputError(f"{path}: expected a name that ends in {', '.join(FORMATS)}")
    return FORMATS[Path(path).suffix]


def _cell(values: list[float], sign: str) -> Cell:
    if not values:
        return Cell(None, None)
    deviation = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Cell(float(np.mean(values)), deviation, sign)


def _written(cell: Cell, decimals: int) -> str:
    if cell.mean is None or not math.isfinite(cell.mean):
        return NO_VALUE
    mean = f"{cell.mean:.{decimals}f}"
    return mean if cell.deviation is None else f"{mean} ± {cell.deviation:.{decimals}f}"


def _latex(text: str) -> str:
    signs = {"_": r"\_", "%": r"\%", "±": r"$\pm$", "†": r"$^\dagger$", "–": "--"}
    for sign, written in signs.items():
        text = text.replace(sign, written)
    return text
