"""Other layouts of the map, which are extras."""

import sys
from dataclasses import replace
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np
import pytest

import coterie
from coterie.clustering import layout
from coterie.clustering.layout import lay_out
from coterie.errors import InputError


def test_a_layout_without_its_extra_is_refused_by_one_sentence(result, tmp_path, monkeypatch):
    monkeypatch.setattr(layout.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install coterie\[map\]"):
        result.save(tmp_path / "results", layout="umap")
    assert not (tmp_path / "results").exists()
    with pytest.raises(InputError, match="map"):
        result.save(tmp_path / "results", layout="globe")


@pytest.mark.parametrize(("name", "method"), [("umap", "UMAP"), ("pacmap", "PaCMAP")])
def test_places_may_come_from_a_projection(result, tmp_path, monkeypatch, name, method):
    """By a projection of our own, where the extra is not installed."""
    if not layout.is_available(name):
        stub = ModuleType(name)
        setattr(stub, method, FirstTwo)
        stub.__spec__ = ModuleSpec(name, None)
        monkeypatch.setitem(sys.modules, name, stub)
    folder = result.save(tmp_path / "results", layout=name)
    again = coterie.load(folder)
    assert again.about.layout == name
    places, centres, radii = lay_out(again)
    for one, other in zip((places, centres, radii), lay_out(result), strict=True):
        np.testing.assert_array_equal(one, other)
    assert places.shape == (36, 2)
    for number, centre, radius in zip(again.numbers, centres, radii, strict=True):
        mine = places[again.labels == number]
        apart = np.linalg.norm(mine - np.median(mine, axis=0), axis=1)
        np.testing.assert_array_equal(centre, mine[apart.argmin()])
        within = np.linalg.norm(mine - centre, axis=1) <= radius + 1e-12
        assert 0.8 <= within.mean() <= 1


class FirstTwo:
    """A projection on the first two axes."""

    def __init__(self, random_state, **_):
        assert random_state == 0

    def fit_transform(self, axes):
        return axes[:, :2]


def test_a_folder_with_a_layout_that_is_not_here_shows_discs(result, tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "is_available", lambda _: True)
    result.about = replace(result.about, layout="globe", page="light")
    folder = result.save(tmp_path / "results")
    monkeypatch.undo()
    assert coterie.load(folder).about.layout == "discs"
