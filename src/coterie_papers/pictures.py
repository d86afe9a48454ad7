"""Charts and matrices as SVG by matplotlib; the same data always give the same file."""

import io
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.errors import InputError
from coterie_papers.items import PUBLISHED, Chart, Line, Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, HEIGHT, LEGEND_ROW = 7.0, 4.2, 0.21
"""Inches: a chart without its legend, and a row of the legend."""

LONG_NAME = 36
"""Characters; the legend has one column where a name is longer, else two."""

MOST_MARKED = 13
"""Lines of more points have no mark at each of them."""

COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#b8a800",
)  # fmt: skip
STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.1,
    "figure.constrained_layout.w_pad": 0.1,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "coterie",
}


def line_chart(chart: Chart) -> str:
    """Draw lines, deviations as bands, published values dashed, and a legend below."""
    names = {line.name for line in chart.lines}
    rows = -(-len(names) // _columns(names))
    return _svg(chart, HEIGHT + LEGEND_ROW * rows, _draw_lines)


def matrix_picture(matrix: Matrix) -> str:
    """Draw a matrix, the darker the denser."""
    return _svg(matrix, WIDTH, _draw_matrix)


def _svg(content: Any, height: float, draw: Callable[["Axes", Any], None]) -> str:
    try:
        import matplotlib.style
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            "Pictures need matplotlib. Install it with `pip install 'coterie[papers]'` and "
            "repeat the command: finished runs are saved."
        ) from error
    with matplotlib.style.context(["default", STYLE]):
        figure = Figure((WIDTH, height), layout="constrained")
        axes = figure.add_subplot()
        axes.set(title=content.title, xlabel=content.x_label, ylabel=content.y_label)
        draw(axes, content)
        file = io.StringIO()
        about = {"Title": content.title, "Creator": None, "Date": None}
        figure.savefig(file, format="svg", metadata=about)
    lines = (line.rstrip() for line in file.getvalue().splitlines())
    return "\n".join(lines) + "\n"


def _draw_lines(axes: "Axes", chart: Chart) -> None:
    colours = _colours([line.name for line in chart.lines])
    named: dict[str, Any] = {}
    for line in chart.lines:
        (drawn,) = axes.plot(line.x, line.y, color=colours[line.name], **_style(line))
        named.setdefault(line.name, drawn)
        if line.deviation is not None:
            low, high = np.array(line.y) + np.outer((-1, 1), line.deviation)
            axes.fill_between(
                line.x, low, high, color=colours[line.name], alpha=0.13, linewidth=0
            )
    axes.grid(axis="y")
    _format_numbers(axes, chart.log_x)
    figure = axes.get_figure(root=True)
    assert figure is not None
    legend = figure.legend(
        named.values(), named, loc="outside lower left", ncols=_columns(named)
    )
    for handle in legend.legend_handles:
        if handle is not None:
            handle.set_alpha(1)


def _columns(names: Iterable[str]) -> int:
    return 1 if max(map(len, names)) > LONG_NAME else 2


def _colours(names: Sequence[str]) -> dict[str, str]:
    """A colour for each line; published values have that of the method they belong to."""
    methods = list(dict.fromkeys(name.partition(PUBLISHED)[0] for name in names))
    return {name: COLOURS[methods.index(name.partition(PUBLISHED)[0]) % len(COLOURS)]
            for name in names}  # fmt: skip


def _style(line: Line) -> dict[str, Any]:
    if PUBLISHED in line.name:
        return {"linestyle": "--", "linewidth": 1.3, "marker": "D", "markerfacecolor": "white"}
    if line.faint:
        return {"linewidth": 0.8, "alpha": 0.45}
    marked = len(line.x) == 1 or 2 < len(line.x) <= MOST_MARKED
    return {"linestyle": "-." if line.dashed else "-", "marker": "o" if marked else "",
            "markersize": 4}  # fmt: skip


def _format_numbers(axes: "Axes", log_x: bool) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    plain = FuncFormatter(lambda value, _: f"{value:,.10g}")
    if log_x:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(plain)
    axes.yaxis.set_major_formatter(plain)


def _draw_matrix(axes: "Axes", matrix: Matrix) -> None:
    densities = np.asarray(matrix.densities, dtype=np.float64)
    top = np.quantile(densities, 0.99) or densities.max() or 1.0
    grey = np.round(255 * (1 - np.sqrt(np.clip(densities / top, 0, 1)))).astype(np.uint8)
    axes.imshow(grey, cmap="gray", vmin=0, vmax=255, interpolation="none", aspect="auto")
    axes.set(xticks=[], yticks=[])
    axes.spines[:].set_visible(True)
