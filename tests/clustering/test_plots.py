"""Pictures of a clustering: what is drawn, not its pixels."""

import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pyarrow as pa
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import coterie
from coterie.clustering.layout import _centres, lay_out
from coterie.clustering.plots import MOST_PANELS, colour
from coterie.errors import InputError
from coterie.report.html import hue
from planted import plant

DRINKS = {"tea": "green black leaves cup pot", "rum": "dark white punch", "milk": "hot cold"}
TEXTS = [f"{drink} {word}" for drink, words in DRINKS.items() for word in words.split()]


@pytest.fixture(scope="module")
def clustered():
    n = len(TEXTS)
    years = [2020 + i % 4 * 2 for i in range(n)]
    table = pa.table({"text": TEXTS, "year": years, "shop": ["Bonn", "Pisa"] * (n // 2)})
    return coterie.cluster(table, 3, "mm", text="text", progress=False)


@pytest.fixture
def result(clustered):
    yield clustered.copy()
    plt.close("all")


@pytest.fixture(scope="module")
def many():
    """Thirty clusters of counts."""
    counts, _, _ = plant(n_documents=400, n_words=120, n_clusters=30, length=60, seed=0)
    words = [f"w{i:03d}" for i in range(counts.shape[1])]
    return coterie.cluster(counts, 30, "mm", words=words, n_init=1, progress=False)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def boxes(labels):
    for label in labels:
        label.figure.draw_without_rendering()
    return [label.get_window_extent() for label in labels]


def overlapping(found):
    return [(i, j) for i in range(len(found)) for j in range(i) if found[i].overlaps(found[j])]


def test_a_map_has_a_point_a_document_and_a_label_a_cluster(result):
    ax = result.plot.map()
    (points,) = ax.collections
    assert len(points.get_offsets()) == len(TEXTS)
    assert sorted(text.split()[0] for text in texts(ax)) == ["1", "2", "3"]
    assert ax.get_title(loc="left").startswith("10 documents in 3 clusters")
    result.drop(3)
    (points,) = result.plot.map().collections
    assert len(points.get_offsets()) == int((result.labels > 0).sum())


def test_the_map_is_the_same_each_time(result):
    again = lay_out(result.copy())
    for one, other in zip(lay_out(result), again, strict=True):
        assert np.array_equal(one, other)


def test_discs_do_not_overlap_and_documents_are_in_theirs(many):
    places, centres, radii = lay_out(many)
    distances = np.linalg.norm(centres[:, None] - centres, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert (distances - (radii[:, None] + radii) > 0).all()
    sure = many.memberships.max(axis=1) > 0.999
    labels = many.labels - 1
    off = np.linalg.norm(places - centres[labels], axis=1)
    assert sure.sum() > 100
    assert (off[sure] <= radii[labels][sure] + 0.01).all()


def test_a_document_in_doubt_lies_between_its_two_clusters(result, monkeypatch):
    document, first = 0, int(result.labels[0])
    second = next(number for number in result.numbers if number != first)
    memberships = result._found.assignments.memberships.copy()
    memberships[document] = 0
    memberships[document, [first - 1, second - 1]] = 0.51, 0.49
    changed = type(result._found.assignments)(memberships, result._found.assignments.labels)
    monkeypatch.setitem(result.__dict__, "_found", result._found._replace(assignments=changed))
    places, centres, radii = lay_out(result)
    middle = 0.51 * centres[first - 1] + 0.49 * centres[second - 1]
    assert np.linalg.norm(places[document] - middle) <= radii[first - 1]
    assert np.linalg.norm(places[document] - centres[first - 1]) > radii[first - 1] / 2


def test_labels_of_a_map_do_not_cover_each_other(many):
    ax = many.plot.map()
    assert len(ax.texts) == 30
    assert not overlapping(boxes(ax.texts))
    plt.close("all")


def test_similar_clusters_are_close_on_the_map():
    distances = np.full((6, 6), 0.9)
    for one, other in ((0, 3), (1, 4), (2, 5)):
        distances[one, other] = distances[other, one] = 0.1
    centres = _centres(distances, np.full(6, 0.2))
    apart = np.linalg.norm(centres[:, None] - centres, axis=2)
    np.fill_diagonal(apart, np.inf)
    assert apart.argmin(axis=1).tolist() == [3, 4, 5, 0, 1, 2]


def test_bars_tell_sizes_and_shares(result):
    ax = result.plot.sizes()
    assert [bar.get_width() for bar in ax.patches] == [5, 3, 2]
    assert texts(ax) == [" 5 · 50 %", " 3 · 30 %", " 2 · 20 %"]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [f"{number} {name}" for number, name in result.names.items()]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top


def test_a_tree_joins_clusters_in_the_order_of_at(many):
    ax = many.plot.tree()
    assert [line.get_xdata()[1] for line in ax.lines] == list(range(29, 0, -1))
    rows = [int(label.get_text().split()[0]) for label in ax.get_yticklabels()]
    assert sorted(rows) == many.numbers
    (x1, x2), (y1, y2) = ax.lines[0].get_xdata()[[0, 3]], ax.lines[0].get_ydata()[[0, 3]]
    assert (x1, x2) == (30, 30)
    joined = {rows[int(y1)], rows[int(y2)]}
    assert set(many.numbers) - set(many.at(29).numbers) == {max(joined)}
    plt.close("all")


def test_words_of_one_cluster_and_of_all(result):
    ax = result.plot.words(1)
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == [word.word for word in result.summary.clusters[0].words]
    assert [bar.get_width() for bar in ax.patches] == sorted(
        (bar.get_width() for bar in ax.patches), reverse=True
    )
    figure = result.plot.words()
    assert [panel.get_title(loc="left")[0] for panel in figure.axes] == ["1", "2", "3"]
    with pytest.raises(InputError, match="cluster 9: no such cluster"):
        result.plot.words(9)


def test_many_clusters_have_the_largest_panels_only(many):
    figure = many.plot.words()
    assert sum(bool(panel.get_title(loc="left")) for panel in figure.axes) == MOST_PANELS
    assert "the largest 24 of 30 clusters" in figure.get_suptitle()
    plt.close("all")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_lines_over_time_show_the_share_and_the_mean(result, library):
    pytest.importorskip(library)
    result.about = replace(result.about, library=library)
    figure = result.plot.over("year", "year")
    mean, known, line = figure.axes[0].lines
    assert mean.get_ydata()[0] == pytest.approx(0.5)
    table = pa.table({"p": line.get_xdata(), "s": line.get_ydata()})
    assert table.num_rows == 7  # 2020 to 2026
    assert np.isnan(table["s"].to_numpy()[[1, 3, 5]]).all()
    assert len(known.get_xdata()) == 4
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["2020", "2026"]


def test_a_heat_table_by_a_column(result):
    ax = result.plot.by("shop")
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Bonn", "Pisa"]
    (image,) = ax.images
    assert np.allclose(image.get_array().sum(axis=1), 1)
    assert all(float(text.get_text()) <= 100 for text in ax.texts)


def test_pictures_are_drawn_on_given_axes(result):
    figure, axes = plt.subplots(1, 5)
    plots = result.plot
    drawn = [plots.map(axes[0]), plots.sizes(ax=axes[1]), plots.tree(ax=axes[2]),
             plots.words(1, ax=axes[3]), plots.by("shop", ax=axes[4])]  # fmt: skip
    assert drawn == list(axes)
    for draw in (plots.words, lambda ax: plots.over("year", "year", ax=ax)):
        with pytest.raises(InputError, match="ax: .* draws several panels on a figure of its"):
            draw(ax=axes[0])
    assert figure.axes == list(axes)


def test_names_are_not_read_as_formulas(result):
    result.rename({1: "costs $5_{ and $6^", 2: "a\nb\x1b[31m", 3: "x" * 150})
    for picture in (result.plot.map(), result.plot.sizes(), result.plot.tree(),
                    result.plot.by("shop"), result.plot.words(1)):  # fmt: skip
        picture.figure.canvas.draw()
    result.plot.words().canvas.draw()
    result.plot.over("year", "year").canvas.draw()
    names = [label.get_text() for label in result.plot.sizes().get_yticklabels()]
    assert names[0] == "1 costs $5_{ and $6^"
    assert names[1] == "2 a b[31m"
    assert len(names[2]) <= 50


def test_a_single_cluster_and_a_single_document_are_drawn():
    for text, n_clusters in ((TEXTS, 1), (["tea", "tea", "rum"], 2), (["tea"], 1)):
        result = coterie.cluster(text, n_clusters, "mm", progress=False)
        assert len(result.plot.map().collections[0].get_offsets()) == len(text)
        result.plot.tree().figure.canvas.draw()
        result.plot.words().canvas.draw()
    plt.close("all")


def test_neighbours_differ_in_hue_and_in_lightness():
    def luminance(number):
        red, green, blue = (each**2.2 for each in matplotlib.colors.to_rgb(colour(number)))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for number in range(1, 40):
        assert abs(luminance(number) - luminance(number + 1)) > 0.05
        assert hue(number) != hue(number + 1)


def test_without_matplotlib_the_extra_is_named(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r'pictures need matplotlib: pip install "coterie\[pl'):
        _ = result.plot
