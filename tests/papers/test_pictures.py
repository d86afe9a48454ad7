"""Pictures are well-formed SVG, always the same, and show their numbers where they belong."""

import base64
import io
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from coterie import InputError
from coterie_papers.items import PUBLISHED, Chart, Line, Matrix
from coterie_papers.pictures import COLOURS, line_chart, matrix_picture

SVG = "{http://www.w3.org/2000/svg}"


def chart(*lines, **more):
    return Chart("c", "Tea & <rum>", "cups", "joy", lines, **more)


def texts(picture):
    return [each.text for each in ElementTree.fromstring(picture).iter(f"{SVG}text")]


def points(picture, colour=COLOURS[0]):
    """The points of the first line of a colour."""
    for path in ElementTree.fromstring(picture).iter(f"{SVG}path"):
        style = path.get("style") or ""
        if "fill: none" in style and f"stroke: {colour}" in style:
            return [tuple(map(float, p.split())) for p in re.split("[ML]", path.get("d"))[1:]]
    raise AssertionError(f"no line in {colour}")


def test_a_line_goes_from_the_left_to_the_right_and_up():
    line = points(line_chart(chart(Line("a", [1, 2, 3], [0.0, 1.0, 2.0]))))
    (x0, y0), (x1, y1), (x2, y2) = line
    assert x0 < x1 < x2
    assert y0 > y1 > y2
    assert x1 - x0 == pytest.approx(x2 - x1, abs=0.01)
    assert y0 - y1 == pytest.approx(y1 - y2, abs=0.01)


def test_a_logarithmic_axis_gives_equal_ratios_equal_room():
    picture = line_chart(chart(Line("a", [1, 10, 1000], [0, 0, 1]), log_x=True))
    (x0, _), (x1, _), (x2, _) = points(picture)
    assert 2 * (x1 - x0) == pytest.approx(x2 - x1, abs=0.01)
    assert {"1", "10", "1,000"} <= set(texts(picture))


def test_deviations_are_a_band():
    plain = Line("a", [1, 2], [1.0, 2.0])
    assert "fill-opacity: 0.13" not in line_chart(chart(plain))
    banded = Line("a", [1, 2], [1.0, 2.0], [0.5, 0.25])
    assert "fill-opacity: 0.13" in line_chart(chart(banded))


def test_title_axes_and_names_are_written_once():
    lines = [Line("run", [1, 2], [0, i], faint=True) for i in (1, 2)]
    picture = line_chart(chart(*lines, Line("level", [1, 2], [1, 1], dashed=True)))
    written = texts(picture)
    assert [written.count(name) for name in ("Tea & <rum>", "cups", "joy", "run", "level")] == [
        1
    ] * 5
    assert "stroke-dasharray" in picture


def test_published_values_are_dashed_and_in_the_colour_of_their_method():
    level = Line("b" + PUBLISHED, [1, 3], [0.5, 0.5], dashed=True)
    picture = line_chart(
        chart(Line("a", [1, 2, 3], [1, 2, 3]), Line("b", [1, 2, 3], [0, 0, 1]), level)
    )
    assert "b, published" in texts(picture)
    dashed = re.findall(
        r"stroke-dasharray: [^;]*; stroke-dashoffset: 0; stroke: (#\w+)", picture
    )
    assert set(dashed) == {COLOURS[1]}


def test_large_numbers_have_all_their_digits():
    picture = line_chart(chart(Line("a", [1, 2], [-1_420_000, -1_380_000])))
    assert "1,400,000" in " ".join(texts(picture))


def test_one_point_can_be_drawn():
    assert len(points(line_chart(chart(Line("a", [5], [2.0]))))) == 1


def test_the_same_data_give_the_same_file_without_a_date():
    lines = [Line("a", [1, 2, 3], [1, 2, 3], [0.1, 0.1, 0.1])]
    first = line_chart(chart(*lines))
    assert line_chart(chart(*lines)) == first
    assert "dc:date" not in first
    assert "matplotlib.org" not in first
    assert not re.search(r"[ \t]$", first, re.MULTILINE)


def test_dense_blocks_of_a_matrix_are_dark():
    from matplotlib.image import imread

    picture = matrix_picture(
        Matrix("m", "blocks", "words", "documents", [[1.0, 0.0], [0.0, 1.0]])
    )
    assert {"blocks", "words", "documents"} <= set(texts(picture))
    data = base64.b64decode(re.search(r"base64,([^\"]+)\"", picture).group(1))
    grey = imread(io.BytesIO(data))[:, :, 0]
    assert grey[0, 0] == grey[-1, -1] == 0
    assert grey[0, -1] == grey[-1, 0] == 1


def test_without_matplotlib_one_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"^Pictures need matplotlib\. .*coterie\[papers\]"):
        line_chart(chart(Line("a", [1, 2], [1, 2])))


def test_matplotlib_is_imported_only_when_a_picture_is_drawn():
    code = "import sys, coterie_papers.writing, coterie_papers.running as running\n"
    code += "running.items(); print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
