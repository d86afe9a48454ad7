"""Quick versions of all items on the real collections: signs, not values."""

import pytest

from coterie_papers.cells import Store
from coterie_papers.running import items, missing, reproduce

SIGNS = {
    "pessiot-table5": ["PLSA is above MM", "C-MM is above MM"],
    "pessiot-figure2": ["PLSA is above MM"],
    "grimal-table1": ["samples have the published numbers of clusters and documents"],
    "grimal-table2": ["χ-Sim 0.8 p is above Cosine", "χ-Sim 0.8 p is above SNOS"],
    "grimal-table3": ["χ-Sim 0.8 p is above Cosine",
                   "pruning is decisive: χ-Sim 1 p is above χ-Sim 1"],
    "rigouste-figure1": ["the start from the classes ends with a higher likelihood",
                    "the start from the classes ends with a lower perplexity"],
    "rigouste-figure2": ["every Dirichlet start ends far below the start from the classes"],
    "rigouste-figure4": ["with 500 words the average run is better"],
    "rigouste-figure5": ["all words are worse than the best number of words"],
    "rigouste-figure6": [
        "the incremental vocabulary has a higher MI F-score than Dirichlet starts",
        "the incremental vocabulary has a higher likelihood than Dirichlet starts",
        "auto has a higher MI F-score than the incremental vocabulary"],
    "kim-table1": [
        "precision is higher on the documents the views agree on than on all documents"],
    "kim-table2": ["voted-PLSA is above conc-PLSA"],
    "wang-figure1": [
        "co-clustering raises the contrast between blocks of documents and words"],
}  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One store and one folder for all, as tables share their cells."""
    return tmp_path_factory.mktemp("quick")


def test_signs_are_of_items_there_are():
    assert set(SIGNS) <= {item.name for item in items()}


@pytest.mark.corpus
@pytest.mark.usefixtures("collections")
@pytest.mark.parametrize("item", items(), ids=lambda item: item.name)
def test_a_quick_look_has_the_published_signs(item, shared):
    if missing(item):
        pytest.skip(f"COTERIE_DATA has no {', '.join(missing(item))}")
    if item.name in ("grimal-table3", "grimal-figure2"):
        pytest.importorskip("kmedoids")
    out = shared / "out"
    sheet, written = reproduce(item, out, quick=True, store=Store(shared / "cells"))
    assert {path.suffix for path in written} >= {".md", ".json"}
    assert sheet.headline
    found = {claim.text: claim.verdicts for claim in sheet.claims}
    for text in SIGNS.get(item.name, ()):
        assert all(found[text].values()), (text, found[text])
