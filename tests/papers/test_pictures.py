"""Pictures are well-formed and put numbers where they belong."""

import base64
import re
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from coterie_papers.items import Chart, Line, Matrix
from coterie_papers.pictures import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Scale,
    line_chart,
    matrix_picture,
    png,
    round_numbers,
)

SVG = "{http://www.w3.org/2000/svg}"


def chart(*lines, **more):
    return Chart("c", "Tea & <rum>", "cups", "joy", lines, **more)


def points(picture):
    shapes = ElementTree.fromstring(picture).findall(f"{SVG}polyline")
    return [[tuple(map(float, p.split(","))) for p in s.get("points").split()] for s in shapes]


def test_a_line_goes_from_the_left_to_the_right_and_up():
    (line,) = points(line_chart(chart(Line("a", [1, 2, 3], [0.0, 1.0, 2.0]))))
    xs, ys = zip(*line, strict=True)
    assert xs == (LEFT, pytest.approx((LEFT + WIDTH - RIGHT) / 2, abs=0.1), WIDTH - RIGHT)
    assert ys[0] > ys[1] > ys[2]
    assert ys[0] < HEIGHT - BOTTOM
    assert ys[0] - ys[1] == pytest.approx(ys[1] - ys[2], abs=0.2)


def test_a_logarithmic_axis_gives_equal_ratios_equal_room():
    (line,) = points(line_chart(chart(Line("a", [1, 10, 100], [0, 0, 1]), log_x=True)))
    assert line[1][0] - line[0][0] == pytest.approx(line[2][0] - line[1][0], abs=0.2)


def test_deviations_are_a_band_that_stays_on_the_picture():
    picture = line_chart(chart(Line("a", [1, 2], [1.0, 2.0], [0.5, 0.5])))
    band = ElementTree.fromstring(picture).find(f"{SVG}polygon").get("points").split()
    assert len(band) == 4
    assert all(0 < float(p.split(",")[1]) < HEIGHT - BOTTOM for p in band)


def test_names_are_in_the_legend_once_and_escaped():
    lines = [Line("run", [1, 2], [0, i], faint=True) for i in (1, 2)]
    picture = line_chart(chart(*lines, Line("level", [1, 2], [1, 1], dashed=True)))
    texts = [each.text for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]
    assert texts.count("run") == texts.count("level") == 1
    assert "Tea & <rum>" in texts
    assert {"cups", "joy"} <= set(texts)
    assert "stroke-dasharray" in picture


def test_constant_lines_can_be_drawn():
    (line,) = points(line_chart(chart(Line("a", [5], [2.0]))))
    assert np.isfinite(line).all()


def test_ticks_are_round_and_within():
    assert round_numbers(0.13, 0.87) == [0.2, 0.4, 0.6, 0.8]
    assert round_numbers(-1_421_000, -1_371_000)[0] == -1_420_000
    assert Scale(100, 10_000, 0, 1, log=True).ticks() == [
        100, 200, 500, 1000, 2000, 5000, 10_000,
    ]  # fmt: skip


def test_a_grey_picture_can_be_read_back():
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    data = png(grey)
    assert struct.unpack(">II", data[16:24]) == (4, 3)
    (length,) = struct.unpack(">I", data[33:37])
    rows = zlib.decompress(data[41 : 41 + length])
    assert np.frombuffer(rows, np.uint8).reshape(3, 5)[:, 1:].tolist() == grey.tolist()


def test_dense_blocks_of_a_matrix_are_dark():
    picture = matrix_picture(
        Matrix("m", "blocks", "words", "documents", [[1.0, 0.0], [0.0, 1.0]])
    )
    ElementTree.fromstring(picture)
    data = base64.b64decode(re.search(r"base64,([^']+)'", picture).group(1))
    (length,) = struct.unpack(">I", data[33:37])
    rows = np.frombuffer(zlib.decompress(data[41 : 41 + length]), np.uint8).reshape(2, 3)[:, 1:]
    assert rows.tolist() == [[0, 255], [255, 0]]
