"""Where fits run: places by name, what they need, and the order of sums."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import coterie
from commands import run
from coterie import executors
from coterie.executors.totals import Totals
from coterie.memory import GROUP


@pytest.mark.parametrize("place", ["dask", "gpu"])
def test_without_its_extra_a_place_is_refused_in_one_sentence(place, monkeypatch):
    monkeypatch.setattr(executors, "find_spec", lambda _: None)
    with (
        pytest.raises(coterie.InputError, match=rf'pip install "coterie\[{place}\]"$'),
        coterie.run_on(place),
    ):
        pass


def test_the_command_refuses_it_before_it_reads(monkeypatch, tmp_path):
    monkeypatch.setattr(executors, "find_spec", lambda _: None)
    result = run("cluster", tmp_path, "--on", "dask")
    assert result.exit_code == 2
    assert 'pip install "coterie[dask]"' in result.stderr


def test_a_scheduler_is_for_dask_only(tmp_path):
    result = run("cluster", tmp_path, "--scheduler", "tcp://127.0.0.1:8786")
    assert result.exit_code == 2
    assert "only for --on dask" in result.stderr


def by_tree(numbers):
    """Sums of runs of `GROUP`, again and again until one is left."""
    while len(numbers) > 1:
        groups = [numbers[i : i + GROUP] for i in range(0, len(numbers), GROUP)]
        numbers = [sum(group[1:], start=group[0]) for group in groups]
    return numbers[0]


@pytest.mark.parametrize("n", [1, 7, 8, 9, 64, 65, 71, 513, 600])
def test_sums_are_a_tree_of_fixed_shape(n):
    parts = [np.float32(x) for x in np.random.default_rng(n).standard_exponential(n)]
    totals = Totals()
    for part in parts:
        totals.add((np.array([part]),), float(part))
    (total,), objective = totals.finish()
    assert_array_equal(total, [by_tree(parts)])
    assert objective == by_tree([float(part) for part in parts])
