"""New documents assigned to the clusters of a saved or fresh clustering, edits included."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coterie.clustering.sources import (
    EMBEDDINGS,
    NO_EMBEDDINGS,
    Reading,
    corpus_of,
    names_of,
)
from coterie.clustering.tables import has_columns
from coterie.corpus import Corpus
from coterie.errors import InputError
from coterie.findings.assignments import (
    Assignments,
    DocumentRows,
    read_memberships,
)
from coterie.findings.edits import (
    DROPPED,
    SET_ASIDE,
    Documents,
    Edit,
    documents_after,
    numbers_after,
)
from coterie.findings.texts import encodable

NAMED = ("text", "id", "title", "label")


@dataclass(frozen=True, eq=False)
class Assigner:
    """A fitted model with the edits made since, the names, and how documents were read."""

    model: Any
    edits: Sequence[Edit] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    reading: Reading = field(default_factory=Reading)

    def counted(self, source: Any, *, embeddings: Any = None, **named: Any) -> Corpus:
        """New documents, their words counted as in the fit.

        Columns are those of the clustered table unless others are `named`; '' stands for none.
        Embeddings are computed by the model that computed those of the fit, if one did.
        """
        if isinstance(source, Corpus):
            return source
        how = self.reading_of(source, **named)
        if embeddings is None and self.computes_embeddings:
            return corpus_of(source, how, embeddings=self.reading.embeddings)
        if isinstance(embeddings, str) and embeddings == NO_EMBEDDINGS:
            embeddings = None
        return corpus_of(source, replace(how, embeddings=None), embeddings=embeddings)

    def reading_of(self, source: Any, **named: Any) -> Reading:
        """How new documents are read: as those of the fit, but for what is `named`."""
        if self.model.vocabulary_ is None:
            raise InputError("fitted to a matrix of counts, so it cannot read texts")
        how = replace(self.reading, label=None, options=self.model.vocabulary_)
        if not has_columns(source):
            how = Reading(
                options=how.options, limits=how.limits, quiet=how.quiet,
                embeddings=how.embeddings,
            )  # fmt: skip
        changes = {name: each for name, each in named.items() if each is not None}
        if "text" in changes:
            changes["text"] = names_of("text", changes["text"])
        for name in NAMED:
            changes[name] = changes.get(name, getattr(how, name)) or None
        changes["text"] = changes["text"] or ()
        return replace(how, **changes)

    @property
    def computes_embeddings(self) -> bool:
        """Whether embeddings of new documents come from the model of the fit."""
        expected = EMBEDDINGS in getattr(self.model, "vector_views_", ())
        return bool(expected and self.reading.embeddings)

    def rows(self, corpus: Corpus) -> DocumentRows:
        """The documents with their first and second choice; cluster 0 is a dropped one."""
        fitted = read_memberships(self.model, corpus)
        numbers = numbers_after(self.edits, fitted.shape[1])
        after = documents_after(self.edits, Documents(fitted, fitted.argmax(axis=1), corpus))
        found = Assignments(after.memberships, after.labels, numbers.gone)
        dropped = np.isin(after.labels + 1, list(numbers.dropped))
        return DocumentRows(found, corpus, dropped if dropped.any() else None)

    def columns(self, corpus: Corpus) -> dict[str, Any]:
        """Columns of the table of these documents."""
        return document_columns(self.rows(corpus), self.names)


def document_columns(rows: DocumentRows, names: Mapping[int, str]) -> dict[str, Any]:
    """Columns of a table of documents; without labels, no label."""
    import pyarrow as pa

    corpus, found = rows.corpus, rows.choices()
    columns = {
        "id": pa.array(map(encodable, corpus.ids), pa.string(), size=len(corpus)),
        "title": pa.array(map(encodable, corpus.titles), pa.string(), size=len(corpus)),
    }
    if corpus.labels is not None:
        columns["label"] = pa.array(rows.classes(range(len(rows))), pa.string())
    by_number = [names.get(number, DROPPED) for number in range(max(names, default=0) + 1)]
    spelt = pa.array(by_number, pa.string())
    seconds = found["second"]
    without = seconds == SET_ASIDE
    return columns | {
        "cluster": pa.array(found["cluster"], pa.int32()),
        "name": spelt.take(pa.array(found["cluster"])),
        "probability": pa.array(found["probability"], pa.float64(), from_pandas=True),
        "second": pa.array(seconds, pa.int32(), mask=without),
        "second_name": spelt.take(pa.array(seconds, mask=without)),
        "second_probability": pa.array(
            found["second_probability"], pa.float64(), from_pandas=True
        ),
    }
