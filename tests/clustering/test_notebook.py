"""The notebook of the documentation runs from top to bottom."""

import ast
import json
from pathlib import Path

import matplotlib
import pandas as pd
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


@pytest.fixture(scope="module")
def cells():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(source, names):
    """Run a cell as a notebook does; gives the value of its last line."""
    *lines, last = ast.parse(source).body
    exec(compile(ast.Module(lines, []), "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        exec(compile(ast.Module([last], []), "cell", "exec"), names)
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_cells_run_in_order(cells, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    values = [shown("".join(cell["source"]), names) for cell in cells]
    assert sum(isinstance(value, pd.DataFrame) for value in values) >= 8
    assert len(names["frame"]) == 600
    result, again = names["result"], names["again"]
    assert again.names == result.names
    assert result.names[1] == "The largest"
    assert [type(edit).__name__ for edit in again.edits] == ["Rename", "Merge", "Split"]
    written = pd.read_csv(tmp_path / "clustered.csv")
    assert {"package", "length", "cluster", "name"} <= set(written.columns)
    assert len(written) == 600
    for value in values:
        if hasattr(value, "_repr_html_"):
            assert value._repr_html_()
    plt.close("all")


def test_no_output_is_stored(cells):
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)
