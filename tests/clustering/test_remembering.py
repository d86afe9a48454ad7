"""An edit computes only what it changes, and shows what a computation of everything shows."""

import json

import numpy as np
import pandas
import pytest

import coterie
from coterie.clustering import Clustering, layout, page
from coterie.clustering.page import payload
from coterie.findings import duplicates, summary
from coterie.findings.remembering import Remembered

POOLS = [f"{kind}{i}" for kind in "abcdef" for i in range(12)]


@pytest.fixture(scope="module")
def frame():
    """Ninety documents of six themes that overlap, some of them twice, with classes."""
    rng = np.random.default_rng(0)
    rows = []
    for at in range(90):
        theme = at % 6
        near = rng.choice(POOLS[12 * theme : 12 * theme + 12], 8)
        far = rng.choice(POOLS, 6)
        rows.append(
            {"text": " ".join([*near, *far]), "kind": f"k{theme}", "day": 2000 + at % 4}
        )
    return pandas.DataFrame([*rows, *rows[:6]])


def made(frame, method, k=6):
    options = coterie.TextOptions(language="en", min_df=1)
    return coterie.cluster(
        frame, k, method, text="text", label="kind", options=options, progress=False
    )


def shown(result):
    """Everything that is told of a clustering, as bytes."""
    made = payload(result)
    told = result.summary
    levels = {level: labels.tolist() for level, labels in told.levels.items()}
    return json.dumps(told.to_json()), made.head_text(), made.parts, told.terms, levels


def computed_anew(result):
    return shown(
        Clustering(result.model, result.corpus, about=result.about, edits=result.edits)
    )


STEPS = {
    "rename": lambda result: result.rename({1: "A name"}),
    "merge": lambda result: result.merge([2, 4]),
    "move": lambda result: result.move(list(result.corpus.ids[:5]), 3),
    "name again": lambda result: result.rename({2: "Another", 1: ""}),
    "drop": lambda result: result.drop([5]),
    "split": lambda result: result.split(2, 2),
    "undo the split": lambda result: result.undo(),
    "undo the drop": lambda result: result.undo(),
    "merge more": lambda result: result.merge([1, 3]),
    "drop another": lambda result: result.drop([6]),
}


@pytest.mark.parametrize(("method", "n_steps"), [("mm", 10), ("c-mm", 10), ("auto", 5)])
def test_after_each_edit_everything_is_as_if_computed_anew(frame, method, n_steps):
    result = made(frame, method)
    shown(result)
    for name, step in list(STEPS.items())[:n_steps]:
        step(result)
        assert shown(result) == computed_anew(result), name


def test_a_renaming_computes_neither_words_nor_documents_nor_places(frame, monkeypatch):
    result = made(frame, "mm")
    shown(result)
    refuse_to_compute(
        monkeypatch,
        (duplicates, "equal_rows"), (summary, "find"), (summary, "rank_words"),
        (summary, "typical_documents"), (layout, "_latent"), (layout, "_disc"),
        (layout, "_centres"), (coterie.clustering.levels, "_cost"),
    )  # fmt: skip
    result.rename({2: "Named"})
    head = json.loads(shown(result)[1])
    assert head["clusters"][1]["name"] == "Named"


def refuse_to_compute(monkeypatch, *functions):
    def refuse(*_):
        raise AssertionError("computed again")

    for module, name in functions:
        monkeypatch.setattr(getattr(module, name), "__code__", refuse.__code__)


def test_a_drop_leaves_axes_discs_links_and_columns_as_they_are(frame, monkeypatch):
    result = made(frame, "mm")
    before = payload(result)
    refuse_to_compute(
        monkeypatch,
        (duplicates, "alike_rows"), (layout, "_latent"), (layout, "_disc"),
        (page, "_read_columns"),
    )  # fmt: skip
    result.drop([5])
    after = payload(result)
    assert before.head["columns"] == after.head["columns"]
    assert after.head["n_points"] < before.head["n_points"]


def test_inputs_that_differ_in_one_bit_are_not_taken_for_each_other():
    remembered, calls = Remembered(), []
    one = np.arange(6.0)
    other = one.copy()
    other[3] = np.nextafter(other[3], 9)
    for each in (one, other, one.reshape(2, 3), one.astype(np.float32), one[::-1], one.copy()):
        remembered([each], calls.append, None)
    assert len(calls) == 5


def test_only_the_last_values_are_kept():
    remembered, calls = Remembered(), []
    for each in (1, 2, 3, 3, 2, 1):
        remembered(each, calls.append, each, most=2)
    assert calls == [1, 2, 3, 1]
