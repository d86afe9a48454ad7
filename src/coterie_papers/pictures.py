"""Charts and matrices as SVG, drawn here so that nothing else is needed to see them."""

import base64
import math
import struct
import zlib
from collections.abc import Sequence
from html import escape

import numpy as np

from coterie_papers.items import Chart, Line, Matrix

WIDTH, HEIGHT = 640, 400
LEFT, RIGHT, TOP, BOTTOM = 78, 16, 34, 48
LEGEND_LINE = 18
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555", "#b8a800",
)  # fmt: skip
FONT = "font-family='system-ui, sans-serif' font-size='12'"


class Scale:
    """Where numbers of an axis lie on the picture."""

    def __init__(self, low: float, high: float, first: float, last: float, log: bool = False):
        self.log = log
        low, high = (math.log10(low), math.log10(high)) if log else (low, high)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        self.low, self.high, self.first, self.last = low, high, first, last

    def __call__(self, value: float) -> float:
        place = (math.log10(value) if self.log else value) - self.low
        return self.first + (self.last - self.first) * place / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Round numbers along the axis."""
        if self.log:
            powers = range(math.floor(self.low), math.ceil(self.high) + 1)
            all_ticks = [m * 10.0**p for p in powers for m in (1, 2, 5)]
            return [
                t for t in all_ticks if self.low - 1e-9 <= math.log10(t) <= self.high + 1e-9
            ]
        return round_numbers(self.low, self.high)


def round_numbers(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers between two, about as many as wanted.

    Examples
    --------
    >>> round_numbers(0.0, 0.93)
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    rough = (high - low) / about
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(n * step, 12) for n in range(first, last + 1)]


def line_chart(chart: Chart) -> str:
    """An SVG picture of a chart: axes, lines, deviations as bands, and a legend below."""
    xs = [x for line in chart.lines for x in line.x]
    tops = [y for line in chart.lines for y in _edge(line, 1)]
    lows = [y for line in chart.lines for y in _edge(line, -1)]
    room = 0.05 * ((max(tops) - min(lows)) or 1.0)
    across = Scale(min(xs), max(xs), LEFT, WIDTH - RIGHT, chart.log_x)
    up = Scale(min(lows) - room, max(tops) + room, HEIGHT - BOTTOM, TOP)
    named = list(dict.fromkeys(line.name for line in chart.lines))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(named)}
    body = [*_axes(chart, across, up)]
    for line in chart.lines:
        body += _drawn(line, colours[line.name], across, up)
    legend, height = _legend(chart.lines, colours)
    return _svg(WIDTH, HEIGHT + height, chart.title, [*body, *legend])


def _edge(line: Line, side: int) -> list[float]:
    spread = line.deviation or [0.0] * len(line.y)
    return [y + side * d for y, d in zip(line.y, spread, strict=True)]


def _axes(chart: Chart, across: Scale, up: Scale) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [_words(WIDTH / 2, 18, chart.title, "middle", "font-weight='bold'")]
    for tick in up.ticks():
        y = up(tick)
        parts.append(f"<path d='M{LEFT} {y:.1f}H{right}' stroke='#ddd'/>")
        parts.append(_words(LEFT - 6, y + 4, f"{tick:,.6g}", "end"))
    for tick in across.ticks():
        x = across(tick)
        parts.append(f"<path d='M{x:.1f} {bottom}v5' stroke='#333'/>")
        parts.append(_words(x, bottom + 18, f"{tick:,.6g}", "middle"))
    parts.append(f"<path d='M{LEFT} {TOP}V{bottom}H{right}' fill='none' stroke='#333'/>")
    parts.append(_words((LEFT + right) / 2, bottom + 38, chart.x_label, "middle"))
    turned = f"transform='rotate(-90 14 {HEIGHT / 2:.0f})'"
    parts.append(_words(14, HEIGHT / 2, chart.y_label, "middle", turned))
    return parts


def _drawn(line: Line, colour: str, across: Scale, up: Scale) -> list[str]:
    points = [f"{across(x):.1f},{up(y):.1f}" for x, y in zip(line.x, line.y, strict=True)]
    parts = []
    if line.deviation is not None:
        over = [
            f"{across(x):.1f},{up(y):.1f}" for x, y in zip(line.x, _edge(line, 1), strict=True)
        ]
        under = [
            f"{across(x):.1f},{up(y):.1f}" for x, y in zip(line.x, _edge(line, -1), strict=True)
        ]
        band = " ".join([*over, *reversed(under)])
        parts.append(f"<polygon points='{band}' fill='{colour}' opacity='0.15'/>")
    dash = " stroke-dasharray='6 4'" if line.dashed else ""
    style = "stroke-width='1' opacity='0.55'" if line.faint else "stroke-width='2'"
    parts.append(
        f"<polyline points='{' '.join(points)}' fill='none' stroke='{colour}' {style}{dash}/>"
    )
    if len(points) <= 12 and not line.faint and not line.dashed:
        parts += [
            f"<circle cx='{x}' cy='{y}' r='3' fill='{colour}'/>"
            for x, y in (point.split(",") for point in points)
        ]
    return parts


def _legend(lines: Sequence[Line], colours: dict[str, str]) -> tuple[list[str], int]:
    """One entry a name, two to a row, and the height they take."""
    dashed = {line.name: line.dashed for line in lines}
    parts = []
    for number, (name, colour) in enumerate(colours.items()):
        x = LEFT + (number % 2) * (WIDTH - LEFT) / 2
        y = HEIGHT + 8 + (number // 2) * LEGEND_LINE
        dash = " stroke-dasharray='6 4'" if dashed[name] else ""
        parts.append(
            f"<path d='M{x:.0f} {y}h24' stroke='{colour}' stroke-width='2'{dash}/>"
            + _words(x + 30, y + 4, name)
        )
    return parts, 8 + math.ceil(len(colours) / 2) * LEGEND_LINE


def matrix_picture(matrix: Matrix) -> str:
    """An SVG picture of a matrix, the darker the denser."""
    densities = np.asarray(matrix.densities, dtype=np.float64)
    top = np.quantile(densities, 0.99) or densities.max() or 1.0
    grey = np.round(255 * (1 - np.sqrt(np.clip(densities / top, 0, 1)))).astype(np.uint8)
    side = 480
    data = base64.b64encode(png(grey)).decode("ascii")
    body = [
        _words(side / 2 + 40, 18, matrix.title, "middle", "font-weight='bold'"),
        f"<image x='40' y='{TOP}' width='{side}' height='{side}' preserveAspectRatio='none' "
        f"style='image-rendering:pixelated' href='data:image/png;base64,{data}'/>",
        f"<rect x='40' y='{TOP}' width='{side}' height='{side}' fill='none' stroke='#333'/>",
        _words(side / 2 + 40, TOP + side + 20, matrix.x_label, "middle"),
        _words(20, TOP + side / 2, matrix.y_label, "middle",
               f"transform='rotate(-90 20 {TOP + side / 2:.0f})'"),
    ]  # fmt: skip
    return _svg(side + 60, TOP + side + 32, matrix.title, body)


def png(grey: np.ndarray) -> bytes:
    """A grey picture, 8 bits a pixel, as a PNG file.

    Examples
    --------
    >>> png(np.zeros((2, 3), dtype=np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width = grey.shape
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(grey, dtype=np.uint8))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _words(x: float, y: float, text: str, anchor: str = "start", more: str = "") -> str:
    return (
        f"<text x='{x:.0f}' y='{y:.0f}' text-anchor='{anchor}' fill='#222' {more}>"
        f"{escape(text)}</text>"
    )


def _svg(width: float, height: float, title: str, body: Sequence[str]) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' "
        f"width='{width:.0f}' height='{height:.0f}' role='img' {FONT}>\n"
        f"<title>{escape(title)}</title>\n<rect width='100%' height='100%' fill='white'/>\n"
        + "\n".join(body)
        + "\n</svg>\n"
    )
