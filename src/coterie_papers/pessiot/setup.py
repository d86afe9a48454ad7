"""What the experiments of Pessiot et al. share: collections, methods, runs on ten splits."""

from collections.abc import Mapping, Sequence
from typing import Any

from coterie.methods import AUTO
from coterie_papers import corpora
from coterie_papers.cells import Cell, Results, cell
from coterie_papers.combined import COMBINED, few, n_runs
from coterie_papers.comparison import Row
from coterie_papers.items import Scope
from coterie_papers.pessiot import published

INCREMENTAL = "ours: incremental vocabulary, then Ext-PLSA"
WITH_PRIOR = "ours: MM with a prior"
METHODS = {
    "Kmeans": "kmeans", "NMF": "nmf", "MM": "mm", "P-MM": "p-mm", "C-MM": "c-mm",
    "PLSA": "plsa", "P-PLSA": "p-plsa", "C-PLSA": "c-plsa",
    "Ext-PLSA": "ext-plsa", "LDA": "lda",
}  # fmt: skip
OURS = {WITH_PRIOR: "mm", INCREMENTAL: "mm-incremental+ext-plsa", COMBINED: AUTO}
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "Kmeans": {"weighting": "counts"},
    "NMF": {"weighting": "counts"},
    "MM": {"word_prior": 1.0},
}
"""Settings of the paper that differ from the method's: frequencies of words, and no prior."""

WITH_CONCEPTS = ("P-MM", "C-MM", "P-PLSA", "C-PLSA", "Ext-PLSA")
LDA_RUNS = 3
"""Runs of LDA at most: it is slow."""
MEASURES = {"precision": "AP", "nmi": "NMI"}
SAMPLE = 500
CONCEPTS = (10, 20, 25, 35, 50, 70, 100)
FEWER_CONCEPTS = {"P-PLSA": (10, 20, 25, 50)}
QUICK_CONCEPTS = (10, 25)
NEEDS = ("reuters-21578", "20newsgroups", "webkb", "reuters-multiview-600")
LEVEL = 0.01

SECONDS = {
    "kmeans": (0.5, 0), "nmf": (10, 0), "mm": (0.8, 0), "p-mm": (2, 0.12), "c-mm": (0.6, 0.01),
    "plsa": (1.4, 0), "p-plsa": (2.5, 0.12), "c-plsa": (1.2, 0.01), "ext-plsa": (1.7, 0.02),
    "lda": (150, 0), "mm-incremental+ext-plsa": (4, 0), AUTO: (30, 0),
}  # fmt: skip
"""Seconds of a fit to 20 Newsgroups in one thread, and those that each concept adds."""
SHARES = {"newsgroups": 1.0, "reuters": 0.25, "reuters-drawn": 0.15, "webkb": 0.25,
          "reuters600-french": 0.05}  # fmt: skip
AUTO_SHARES = {"newsgroups": 1.0, "reuters": 1.0, "webkb": 0.6, "reuters600-french": 0.15}
QUICK_SHARE = 0.02
STRICT_SHARE = 8.0
"""How much longer a fit takes with a stricter stop."""


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


def sizes(scope: Scope, title: str, label: str = "") -> tuple[int, ...]:
    """Numbers of concepts, 10 to 100 as in the paper, which ends at 70 on Reuters-21578."""
    most = 70 if title == "Reuters-21578" else 100
    chosen = QUICK_CONCEPTS if scope.quick else FEWER_CONCEPTS.get(label, CONCEPTS)
    return tuple(size for size in chosen if size <= most)


def estimate(name: str, corpus: str, words: int | None = None) -> float:
    """Seconds of a fit in one thread, right to a factor of about two.

    Examples
    --------
    >>> estimate("lda", "newsgroups/0"), estimate("p-mm", "webkb", 50)
    (150.0, 2.0)
    """
    whole = corpus.partition("/")[0]
    fixed, each = SECONDS.get(name, (1.0, 0.0))
    shares = AUTO_SHARES if name == AUTO else SHARES
    share = QUICK_SHARE if ":" in whole else shares.get(whole, 1.0)
    return share * (fixed + each * (words or 0))


def runs(
    scope: Scope, corpus: str, label: str, words: int | None = None, **settings: Any
) -> list[Cell]:
    """The runs of a method, each on another split of the corpus and from another seed."""
    name = (METHODS | OURS)[label]
    n = {AUTO: n_runs(scope), "lda": min(scope.runs, LDA_RUNS)}.get(name, scope.runs)
    settings = {**SETTINGS.get(label, {}), **settings}
    if name == AUTO:
        settings["few"] = few(scope)
    if name == "lda" and scope.quick:
        settings["max_iter"] = 20
    seconds = estimate(name, corpus, words) * (STRICT_SHARE if "tol" in settings else 1)
    return [
        cell("clustering.scores", f"{corpus}/{seed}", name, seed, words=words,
             seconds=seconds, **settings)
        for seed in range(n)
    ]  # fmt: skip


def row(
    scope: Scope, results: Results, title: str, label: str, words: int | None = None
) -> Row:
    """Our runs of a method on a collection, with the published values of Table 5."""
    cells = runs(scope, collections(scope)[title], label, words)
    theirs = published.best(label, title) if label in METHODS else {}
    note = f"{words} concepts" if words else ""
    return Row(title, label, [results[each] for each in cells], theirs, note)


def curve(scope: Scope, results: Results, title: str, label: str) -> list[Row]:
    """A method at every number of concepts."""
    return [row(scope, results, title, label, n) for n in sizes(scope, title, label)]


def best(rows: Sequence[Row]) -> Row:
    """The row with the highest average precision."""
    return max(rows, key=lambda each: each.mean("precision"))


def best_row(scope: Scope, results: Results, title: str, label: str) -> Row:
    """A method with the number of concepts that gives it the best precision."""
    if label in WITH_CONCEPTS:
        return best(curve(scope, results, title, label))
    return row(scope, results, title, label)
