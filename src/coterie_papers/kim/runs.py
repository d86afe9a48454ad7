"""The collections of Kim et al. (2010) and the runs on them, which all items share."""

from typing import Any

from coterie.methods import AUTO
from coterie_papers.cells import Cell, cell
from coterie_papers.collections.catalogue import whereabouts
from coterie_papers.collections.multiview import LANGUAGES
from coterie_papers.combined import few, n_runs
from coterie_papers.items import Scope
from coterie_papers.kim.views import FUSED, SINGLE

MEASURES = {"precision": "AP", "nmi": "NMI"}
NAMES = {"en": "English", "fr": "French", "de": "German", "it": "Italian", "es": "Spanish"}
MANY = (AUTO, FUSED)  # of many fits each
SECONDS = {  # of a run on Reuters-600, on Debian, on a language of the whole collection
    SINGLE: (2.7, 1.0, 200.0),
    "conc-plsa": (2.6, 0.9, 200.0),
    "fusion-lm": (3.0, 1.3, 200.0),
    "voted-plsa": (4.0, 1.5, 250.0),
    AUTO: (11.0, 6.5, 300.0),
    FUSED: (37.0, 28.0, 600.0),
}
QUICK = {AUTO: 1.0, FUSED: 4.5}  # of few candidates on half of the documents


def collections() -> dict[str, str]:
    """The five original collections where they are here, else their two substitutes."""
    if whereabouts("reuters-multilingual") is not None:
        return {NAMES[code]: f"multilingual-{name}" for name, code in LANGUAGES.items()}
    return {"Reuters, 600 documents": "reuters600", "Debian, six sections": "debian"}


def substitute() -> str:
    """Sentence on the substitutes for the whole collection; empty where it is here."""
    if whereabouts("reuters-multilingual") is not None:
        return ""
    return (
        "**Substitute:** the 111,740 documents of the Reuters multilingual collection are "
        "replaced by a sample of 600 (English originals and their translations) and by 606 "
        "descriptions of Debian packages in the same five languages."
    )


def cells(
    scope: Scope,
    corpus: str,
    method: str,
    *,
    parts: int = 1,
    effort: float = 1.0,
    **settings: Any,
) -> list[Cell]:
    """The runs of a strategy, each from another seed.

    With several `parts`, runs take one of so many parts of the documents in turn. `effort` is
    the time a run takes, in runs with the usual settings.
    """
    sample = corpus + (":300" if scope.quick else "")
    return [
        cell("kim.views.scores", sample + (f"/{parts}/{seed % parts}" if parts > 1 else ""),
             method, seed, few=few(scope) if method in MANY else None,
             seconds=effort * _seconds(scope, corpus, method), **settings)
        for seed in range(n_runs(scope) if method in MANY else scope.runs)
    ]  # fmt: skip


def _seconds(scope: Scope, corpus: str, method: str) -> float:
    reuters, debian, whole = SECONDS[method]
    full = {"reuters600": reuters, "debian": debian}.get(corpus, whole)
    return QUICK.get(method, full / 2) if scope.quick else full
