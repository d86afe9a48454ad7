"""Pictures of a clustering by matplotlib, which is an extra."""

import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from coterie.clustering import levels
from coterie.clustering.layout import lay_out
from coterie.errors import InputError
from coterie.findings.texts import printable, readable_word, shorten
from coterie.report.html import NO_BREAK_SPACE, hue
from coterie.report.wording import counted, percent, thousands, times
from coterie.types import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from coterie.clustering.result import Clustering
    from coterie.findings import Cluster

MOST_POINTS = 20_000
MOST_PANELS = 24
MOST_VALUES = 40
N_WORDS = 8
INK, MUTED, LINE, PAPER = "#23262b", "#656a72", "#d9d5cb", "#ffffff"
LIGHTNESS, CHROMA = (0.53, 0.7, 0.42), 0.1
SMALL, NORMAL = 8, 9


class Plots:
    """Pictures of a clustering; each is drawn on `ax`, or else on a figure of its own.

    Examples
    --------
    >>> import coterie, matplotlib
    >>> matplotlib.use("Agg")
    >>> texts = ["green tea", "black tea", "tea leaves", "cup of tea", "dark rum", "white rum"]
    >>> result = coterie.cluster(texts, 2, progress=False)
    >>> [text.get_text() for text in result.plot.sizes().texts]
    [' 4 · 67 %', ' 2 · 33 %']
    """

    def __init__(self, result: "Clustering") -> None:
        _pyplot()
        self._result = result

    def map(self, ax: "Axes | None" = None) -> "Axes":
        """Documents as points, in discs by cluster; between two discs, those in between."""
        result = self._result
        places, centres, radii = lay_out(result)
        labels = result.labels[result._found.positions]
        ax = _axes(ax, (9, 7))
        shown = np.arange(0, len(labels), -(-len(labels) // MOST_POINTS))
        colours = {number: colour(number) for number in result.numbers}
        ax.scatter(
            places[shown, 0],
            places[shown, 1],
            s=float(np.clip(18_000 / len(shown), 4, 60)),
            c=[colours[number] for number in labels[shown].tolist()],
            alpha=0.6,
            linewidths=0,
            rasterized=len(shown) > 2000,
        )
        ax.set_aspect("equal", adjustable="datalim")
        ax.set_axis_off()
        of = "" if len(shown) == len(labels) else f", {thousands(len(shown))} of them drawn"
        found = f"{counted(len(labels), 'document')} in {counted(len(centres), 'cluster')}{of}"
        _title(
            ax, f"{found}\nclose clusters have similar words; documents in doubt lie between"
        )
        _label_discs(ax, result.names, centres, radii)
        return ax

    def sizes(self, ax: "Axes | None" = None) -> "Axes":
        """Number and share of the documents of each cluster."""
        clusters = self._result.summary.clusters
        ax = _axes(ax, (8, 0.3 * len(clusters) + 1))
        sizes = [each.size for each in clusters]
        rows = range(len(clusters))
        ax.barh(rows, sizes, color=[colour(each.number) for each in clusters], height=0.75)
        for row, each in zip(rows, clusters, strict=True):
            text = f" {thousands(each.size)} · {percent(each.share)}"
            ax.text(each.size, row, text, va="center", color=MUTED, fontsize=SMALL)
        _row_names(ax, clusters)
        ax.set_xlim(0, 1.15 * max(sizes))
        ax.set_xticks([])
        _title(ax, f"Documents of each cluster, {thousands(sum(sizes))} in all")
        return ax

    def tree(self, ax: "Axes | None" = None) -> "Axes":
        """The order in which clusters join, as `at` merges them."""
        from matplotlib.ticker import MaxNLocator

        result = self._result
        joins = levels._joins(result)
        clusters = {each.number: each for each in result.summary.clusters}
        rows = _rows_of_tree(joins, result.numbers)
        ax = _axes(ax, (9, 0.3 * len(rows) + 1.2))
        n_clusters = len(rows)
        ends = {number: (float(n_clusters), float(row)) for row, number in enumerate(rows)}
        for left, (one, other) in enumerate(joins, start=1):
            (x1, y1), (x2, y2) = ends.pop(one), ends.pop(other)
            x = float(n_clusters - left)
            ax.plot([x1, x, x, x2], [y1, y1, y2, y2], color=MUTED, linewidth=1.2)
            ends[min(one, other)] = x, (y1 + y2) / 2
        _row_names(ax, [clusters[number] for number in rows], right=True)
        ax.set_xlim(min(1, n_clusters - 1) - 0.2, n_clusters + 0.05)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.tick_params(axis="x", labelsize=SMALL, labelcolor=MUTED)
        ax.set_xlabel("number of clusters after each join", color=MUTED, fontsize=NORMAL)
        _title(ax, f"How {counted(n_clusters, 'cluster')} join")
        return ax

    def words(self, cluster: int | None = None, ax: "Axes | None" = None) -> "Axes | Figure":
        """Distinctive words of one cluster, or of each; numbers tell the lift."""
        result = self._result
        if cluster is not None:
            result._numbers.require([cluster])
            ax = _axes(ax, (6, 3.6))
            chosen = next(e for e in result.summary.clusters if e.number == cluster)
            _bars_of_words(ax, chosen, 2 * N_WORDS)
            _title(ax, _heading(chosen, 60))
            return ax
        _refuse_axes(ax, "words() of all clusters")
        return _panels(
            result.summary.clusters,
            lambda panel, each: _bars_of_words(panel, each, N_WORDS),
            "Distinctive words; numbers: times as frequent as in all documents",
            height=2,
        )

    def over(self, column: str, by: str = "month", ax: "Axes | None" = None) -> "Figure":
        """Share of each cluster over time; the line across is its share over all periods."""
        _refuse_axes(ax, "over()")
        rows = _by_cluster(self._result.over(column, by))
        periods = list(map(str, rows[self._result.numbers[0]].groups))
        highest = max(float(np.nanmax(each.shares)) for each in rows.values())

        def draw(panel: Any, each: "Cluster") -> None:
            _line_over_time(panel, rows[each.number], periods, colour(each.number))
            panel.set_ylim(0, 1.08 * highest)

        heading = f"Share of the documents of each {by} by '{column}'; dashed: over all {by}s"
        return _panels(self._result.summary.clusters, draw, heading, height=1.5)

    def by(self, column: str, ax: "Axes | None" = None) -> "Axes":
        """Table of the share of each cluster for each value of a column, shaded."""
        clusters = self._result.summary.clusters
        rows = _by_cluster(self._result.by(column))
        shares = np.array([rows[each.number].shares[:MOST_VALUES] for each in clusters])
        groups = rows[clusters[0].number].groups
        n_all, values = len(groups), groups[:MOST_VALUES]
        ax = _axes(ax, (3.5 + 0.5 * len(clusters), 0.3 * len(values) + 2.6))
        ax.imshow(shares.T, cmap="Blues", vmin=0, vmax=max(0.01, shares.max()), aspect="auto")
        for row, column_number in np.ndindex(shares.T.shape):
            share = float(shares[column_number, row])
            if share >= 0.005:
                tone = PAPER if share > 0.55 * shares.max() else INK
                ax.text(column_number, row, f"{100 * share:.0f}", ha="center", va="center",
                        color=tone, fontsize=SMALL)  # fmt: skip
        _frame_off(ax)
        ax.set_xticks(range(len(clusters)), [_heading(each, 36) for each in clusters],
                      rotation=40, ha="right", rotation_mode="anchor", fontsize=SMALL,
                      parse_math=False)  # fmt: skip
        names = [_short(str(value), 30) for value in values]
        ax.set_yticks(range(len(values)), names, fontsize=SMALL, parse_math=False)
        of = "" if n_all == len(values) else f", {len(values)} most frequent of {n_all} values"
        _title(ax, f"Clusters by '{column}'{of}: % of the documents of each row")
        return ax


def colour(cluster: int) -> str:
    """The colour of a cluster: the hue it has on the page, neighbours lighter or darker.

    So clusters that look alike to the colour-blind differ in lightness, and all are labelled.

    Examples
    --------
    >>> colour(1), colour(2)
    ('#007c83', '#c786b4')
    """
    angle = np.deg2rad(float(hue(cluster)))
    light = LIGHTNESS[(cluster - 1) % len(LIGHTNESS)]
    return _rgb(light, CHROMA * np.cos(angle), CHROMA * np.sin(angle))


def _rgb(light: float, a: float, b: float) -> str:
    """An OKLab colour as red, green and blue, clipped to what screens show."""
    roots = np.array([[1, 0.3963377774, 0.2158037573],
                      [1, -0.1055613458, -0.0638541728],
                      [1, -0.0894841775, -1.2914855480]]) @ [light, a, b]  # fmt: skip
    linear = np.array([[4.0767416621, -3.3077115913, 0.2309699292],
                       [-1.2684380046, 2.6097574011, -0.3413193965],
                       [-0.0041960863, -0.7034186147, 1.7076147010]]) @ roots**3  # fmt: skip
    linear = np.clip(linear, 0, 1)
    shown = np.where(linear > 0.0031308, 1.055 * linear ** (1 / 2.4) - 0.055, 12.92 * linear)
    return "#" + "".join(f"{round(255 * float(each)):02x}" for each in shown)


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError('pictures need matplotlib: pip install "coterie[plots]"') from error
    return plt


def _axes(ax: "Axes | None", size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    return _pyplot().subplots(figsize=size, layout="constrained")[1]


def _refuse_axes(ax: "Axes | None", what: str) -> None:
    if ax is not None:
        raise InputError(f"ax: {what} draws several panels on a figure of its own")


def _title(ax: Any, text: str) -> None:
    ax.set_title(text, loc="left", color=INK, fontsize=10, parse_math=False)


def _heading(cluster: "Cluster", length: int) -> str:
    return _short(f"{cluster.number} {cluster.name}", length)


def _short(text: str, length: int) -> str:
    """The beginning of a text on one line, without a dot between words at its end."""
    return shorten(printable(text), length).replace(" ·…", "…")


def _frame_off(ax: Any) -> None:
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labelcolor=INK)


def _row_names(ax: Any, clusters: Sequence["Cluster"], *, right: bool = False) -> None:
    """Name the rows of a picture after clusters, the first on top."""
    _frame_off(ax)
    names = [_heading(each, 50) for each in clusters]
    ax.set_yticks(range(len(names)), names, fontsize=NORMAL, parse_math=False)
    ax.set_ylim(len(names) - 0.4, -0.6)
    if right:
        ax.yaxis.tick_right()
        ax.tick_params(length=0)


def _rows_of_tree(joins: Iterable[tuple[int, int]], numbers: Sequence[int]) -> list[int]:
    """Clusters from top to bottom so that no branches cross."""
    groups = {number: [number] for number in numbers}
    for one, other in joins:
        first, second = sorted((one, other))
        groups[first] += groups.pop(second)
    return [number for group in groups.values() for number in group]


def _label_discs(ax: Any, names: dict[int, str], centres: Any, radii: Any) -> None:
    """Write the names on the discs, the largest first; where one does not fit, its number."""
    from matplotlib.patheffects import withStroke

    ax.update_datalim([*(centres - 1.2 * radii[:, None]), *(centres + 1.2 * radii[:, None])])
    ax.autoscale_view()
    ax.figure.draw_without_rendering()
    taken: list[Any] = []
    numbers = list(names)
    for i in np.argsort(-radii, kind="stable").tolist():
        name = _short(names[numbers[i]], 48)
        joined = f"{numbers[i]} {name}".replace(" ·", NO_BREAK_SPACE + "·")
        lines = "\n".join(textwrap.wrap(joined, 16))
        label = ax.text(*centres[i], lines, ha="center", va="center", fontsize=NORMAL,
                        color=INK, parse_math=False, linespacing=1.1,
                        path_effects=[withStroke(linewidth=3, foreground=PAPER)])  # fmt: skip
        if not _fits(ax, label, centres[i], radii[i], taken):
            label.set_text(str(numbers[i]))
            label.set_position(tuple(centres[i]))
        taken.append(label.get_window_extent())


def _fits(ax: Any, label: Any, centre: Any, radius: float, taken: Sequence[Any]) -> bool:
    """Put a label where it covers no other: on its disc, or else above or below the middle."""
    for up in (0, 0.6, -0.6, 1, -1):
        label.set_position((centre[0], centre[1] + up * radius))
        box = label.get_window_extent()
        inside = ax.bbox.x0 <= box.x0 and box.x1 <= ax.bbox.x1
        if inside and not any(box.overlaps(other) for other in taken):
            return True
    return False


def _bars_of_words(ax: Any, cluster: "Cluster", n_words: int) -> None:
    """Words of a cluster, those of each view where there are several, the heaviest on top."""
    views = [view.words for view in cluster.views] or [cluster.words]
    words = [word for view in views for word in view[: max(1, n_words // len(views))]]
    weights = [word.weight for word in words]
    most = max(weights, default=0) or 1
    rows = range(len(words))
    ax.barh(rows, weights, color=colour(cluster.number), height=0.7)
    for row, word in zip(rows, words, strict=True):
        ax.text(max(word.weight, 0), row, f" {times(word.lift)}", va="center", color=MUTED,
                fontsize=SMALL)  # fmt: skip
    _frame_off(ax)
    names = [_short(readable_word(word.word), 18) for word in words]
    ax.set_yticks(rows, names, fontsize=SMALL, parse_math=False)
    ax.set_ylim(len(words) - 0.4, -0.6)
    ax.set_xlim(0, 1.25 * most)
    ax.set_xticks([])


class Shares(NamedTuple):
    """The groups of documents, and one cluster's share of each and of all; NaN for none."""

    groups: list[Any]
    shares: Array
    mean: float


def _by_cluster(table: Any) -> dict[int, Shares]:
    """The rows of a table by `over` or `by`, whatever its library, by cluster."""
    import narwhals.stable.v1 as nw

    frame = nw.from_native(table, eager_only=True)
    groups, numbers = (frame[name].to_list() for name in (frame.columns[0], "number"))
    shares, beyond = (np.array(frame[name].to_list(), float) for name in ("share", "beyond"))
    found = {}
    for number in dict.fromkeys(numbers):
        rows = np.flatnonzero(np.array(numbers) == number)
        mean = float(np.nanmean(shares[rows] - beyond[rows]))
        found[number] = Shares([groups[row] for row in rows], shares[rows], mean)
    return found


def _line_over_time(ax: Any, found: Shares, periods: Sequence[str], tone: str) -> None:
    steps = np.arange(len(periods))
    known = ~np.isnan(found.shares)
    ax.axhline(found.mean, color=MUTED, linewidth=0.8, linestyle="--")
    ax.plot(steps[known], found.shares[known], color=tone, linewidth=0.8, alpha=0.4)
    ax.plot(steps, found.shares, color=tone, linewidth=1.6, marker="o", markersize=2.5)
    ends = [0] if len(periods) == 1 else [0, len(periods) - 1]
    ax.set_xticks(ends, [periods[i] for i in ends], fontsize=SMALL)
    if len(ends) > 1:
        for label, side in zip(ax.get_xticklabels(), ("left", "right"), strict=True):
            label.set_horizontalalignment(side)
    _frame_off(ax)
    ax.spines["bottom"].set(visible=True, color=LINE)
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f} %")
    ax.tick_params(axis="y", labelsize=SMALL)


def _panels(
    clusters: Sequence["Cluster"],
    draw: Callable[[Any, "Cluster"], None],
    heading: str,
    *,
    height: float,
) -> "Figure":
    """A figure with a panel a cluster, of the largest where there are many."""
    chosen = sorted(clusters, key=lambda each: (-each.size, each.number))[:MOST_PANELS]
    if len(chosen) < len(clusters):
        heading += f"; the largest {len(chosen)} of {len(clusters)} clusters"
    n_columns = min(4, len(chosen))
    n_rows = -(-len(chosen) // n_columns)
    size = (max(3.2 * n_columns, 7), height * n_rows + 0.5)
    figure, axes = _pyplot().subplots(
        n_rows, n_columns, figsize=size, layout="constrained", squeeze=False
    )
    for panel in axes.flat[len(chosen) :]:
        panel.set_axis_off()
    for panel, each in zip(axes.flat, chosen, strict=False):
        draw(panel, each)
        panel.set_title(_heading(each, 36), loc="left", color=INK, fontsize=NORMAL,
                        parse_math=False)  # fmt: skip
    figure.suptitle(heading, color=INK, fontsize=10, x=0.01, ha="left", parse_math=False)
    return cast("Figure", figure)
