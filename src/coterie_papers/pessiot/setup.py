"""What the experiments of Pessiot et al. share: collections, methods, runs on ten splits."""

from coterie.methods import AUTO
from coterie_papers import corpora
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.clustering import SECONDS
from coterie_papers.combined import few, n_runs
from coterie_papers.comparison import Row
from coterie_papers.items import Scope
from coterie_papers.pessiot import published

METHODS = {
    "Kmeans": "kmeans", "NMF": "nmf", "MM": "mm", "P-MM": "p-mm", "C-MM": "c-mm",
    "PLSA": "plsa", "P-PLSA": "p-plsa", "C-PLSA": "c-plsa",
    "Ext-PLSA": "ext-plsa", "LDA": "lda",
}  # fmt: skip
INCREMENTAL = "ours: incremental vocabulary, then Ext-PLSA"
WITH_CONCEPTS = ("P-MM", "C-MM", "P-PLSA", "C-PLSA", "Ext-PLSA")
LDA_RUNS = 3
MEASURES = {"precision": "AP", "nmi": "NMI"}
SIZE = {"newsgroups": 1.0, "reuters": 0.3, "webkb": 0.25, "reuters600-french": 0.05}
SAMPLE = 500
TABLE_CONCEPTS, FIGURE_CONCEPTS = (10, 25, 50), (10, 20, 25, 35, 50, 70, 100)
QUICK_CONCEPTS = (10, 25)
NEEDS = ("reuters-21578", "20newsgroups", "webkb", "reuters-multiview-600")
LEVEL = 0.01


def collections(scope: Scope) -> dict[str, str]:
    """The corpora by the names of the paper's collections."""
    names = ("reuters", corpora.french(), "newsgroups", "webkb")
    sample = f":{SAMPLE}" if scope.quick else ""
    return {
        title: name + sample for title, name in zip(published.COLLECTIONS, names, strict=True)
    }


def substitute() -> str:
    """Sentence on the substitute for RCV2-French and the stories of Reuters-21578."""
    if corpora.french() == "rcv2-french":
        return ""
    return (
        "**Substitute:** RCV2-French is replaced by the French view of the 600 documents of "
        "the Reuters multilingual collection (the same six classes, 100 documents each, "
        "weights instead of counts); Reuters-21578 has all 8,197 stories of the seven "
        "classes where the paper has 4,335 and does not say which."
    )


def runs(
    scope: Scope, corpus: str, label: str, words: int | None = None, method: str | None = None
) -> list[Cell]:
    """The runs of a method, each on another split of the corpus and from another seed."""
    name = method or METHODS[label]
    n = {"lda": min(scope.runs, LDA_RUNS), AUTO: n_runs(scope)}.get(name, scope.runs)
    seconds = SECONDS.get(name, 1.0) * (0.02 if scope.quick else SIZE.get(corpus, 1.0))
    if words is not None:
        seconds *= 0.5 + words / 20
    return [
        cell("clustering.scores", f"{corpus}/{seed}", name, seed, seconds=seconds, words=words,
             max_iter=20 if scope.quick and name == "lda" else None,
             few=few(scope) if name == AUTO else None)
        for seed in range(n)
    ]  # fmt: skip


def best_row(
    scope: Scope, results: Results, title: str, corpus: str, label: str, sizes: tuple[int, ...]
) -> Row:
    """A method with the number of concepts that gives it the best precision."""
    options = [
        Row(title, label, [results[each] for each in runs(scope, corpus, label, words)],
            published.best(label, title), f"{words} concepts" if words else "")
        for words in (sizes if label in WITH_CONCEPTS else (None,))
    ]  # fmt: skip
    return max(options, key=lambda row: row.mean("precision"))
