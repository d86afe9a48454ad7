"""Every example of the gallery runs and draws a picture."""

import runpy
from pathlib import Path

import pytest

GALLERY = Path(__file__).parents[2] / "docs/gallery"
EXAMPLES = sorted(GALLERY.glob("*.py"))


def test_there_are_twelve():
    assert len(EXAMPLES) == 12
    assert all(each.name.startswith("plot_") for each in EXAMPLES)  # what the site runs


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_draws(example):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    try:
        runpy.run_path(str(example))
        assert pyplot.get_fignums()
    finally:
        pyplot.close("all")
