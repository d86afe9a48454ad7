"""The one call that clusters whatever holds documents."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from typing import Any, TypedDict, Unpack

from coterie.clustering import running
from coterie.clustering.result import About, Clustering
from coterie.clustering.running import Settings
from coterie.clustering.sources import (
    Options,
    Reading,
    corpus_of,
    located,
    model_named,
    name_of,
    names_of,
    storage_within,
    titled,
    views_of,
)
from coterie.clustering.tables import library_of
from coterie.corpus import Corpus, Limits, TextOptions
from coterie.errors import nearest


class Fitting(TypedDict, total=False):
    """Settings of the fit; the default of each depends on the method."""

    n_word_clusters: int
    init: str
    n_init: int
    max_iter: int
    threads: int
    on: str
    scheduler: str
    online: bool
    accelerated: bool
    memory: str
    checkpoint: Path


def cluster(
    source: Any,
    n_clusters: int | str = "auto",
    method: str = "auto",
    *,
    text: str | Sequence[str] | None = None,
    id: str | None = None,
    title: str | None = None,
    label: str | None = None,
    views: Sequence[str] | None = None,
    embeddings: Any = None,
    words: Sequence[str] | None = None,
    seed: int = 0,
    options: Options | None = None,
    limits: Limits | None = None,
    table: str | None = None,
    progress: bool = True,
    **fitting: Unpack[Fitting],
) -> Clustering:
    """Cluster documents, and get all that was found in hand.

    Parameters
    ----------
    source : path, list or column of str, data frame, Corpus, mapping, or matrix
        A path is a file or folder as for `coterie cluster`. A data frame is one of pandas,
        polars or any library that narwhals reads. A mapping holds several views of the same
        texts by name. A matrix of counts comes with its `words`.
    n_clusters : int, "auto", "few" or "many"
        Number of clusters; estimated by default. "few" and "many" take the smallest and the
        largest of the numbers that stand out.
    method : str
        Name of a method; `coterie methods` lists them.
    text, id, title, label : str, optional
        Columns of a table or data frame: the text (several are joined; guessed by default), a
        name of each document, a title, and a known class for comparison.
    views : list of str, optional
        Columns or folders that are views of the same documents, such as languages.
    embeddings : matrix, path or str, optional
        A row a document, in their order, or the name or folder of a model that computes them,
        as sentence-transformers reads it; "auto" is a small one (see docs/automatic.md).
    words : list of str, optional
        The words of a matrix of counts, one a column.
    seed : int
        The same seed gives the same result.
    options : TextOptions, optional
        How words are counted.
    table : str, optional
        Table of a database, or sheet of a workbook.
    limits : Limits, optional
        Limits of what is read.
    progress : bool
        Whether progress is shown, in a terminal or notebook.
    **fitting
        `n_word_clusters`, `init`, `n_init`, `max_iter`, `threads`, `on`, `scheduler`, `online`,
        `accelerated`, `memory`, `checkpoint`, as the options of `coterie cluster`.

    Examples
    --------
    >>> import coterie, pandas
    >>> drinks = ["green tea", "black tea", "tea leaves", "dark rum", "white rum", "rum punch"]
    >>> frame = pandas.DataFrame({"body": drinks, "price": [3, 4, 5, 20, 21, 22]})
    >>> result = coterie.cluster(frame, 2, text="body", progress=False)
    >>> result.documents[["body", "price", "cluster"]].tail(2)
            body  price  cluster
    4  white rum     21        1
    5  rum punch     22        1
    """
    columns = names_of("views", views)
    several, vectors = views_of(source, columns)
    running.check_method(method, several, vectors=vectors or embeddings is not None)
    _refuse_unknown(fitting)
    settings = Settings(
        running.whole_number(n_clusters), method, running.whole_number(seed),
        quiet=not progress, **fitting,
    )  # fmt: skip
    running.check_settings(settings)
    how = Reading(
        text=names_of("text", text), id=name_of("id", id), title=name_of("title", title),
        label=name_of("label", label), views=columns, options=options or TextOptions(),
        limits=limits or Limits(), quiet=not progress, table=name_of("table", table),
    )  # fmt: skip
    storage = storage_within(settings.memory)
    with running.place_to_read(settings):
        corpus = corpus_of(source, how, words=words, embeddings=embeddings, storage=storage)
        how = replace(how, embeddings=model_named(embeddings))
        losses = [] if isinstance(source, Corpus) else corpus.notes.losses()
        fitted = running.fit(corpus, settings)
    for note in (*losses, *fitted.remarks):
        warnings.warn(note, UserWarning, stacklevel=2)
    about = About(
        title=titled(source),
        settings=settings,
        reading=how,
        source=located(source),
        seconds=fitted.seconds,
        library=library_of(source),
        notes=(*fitted.notes, *fitted.remarks),
    )
    return Clustering(fitted.model, corpus, about=about)


def _refuse_unknown(settings: Mapping[str, Any]) -> None:
    """Refuse a setting that there is not, as Python does, and name the nearest one."""
    known = [*signature(cluster).parameters, *Fitting.__annotations__]
    for name in settings.keys() - Fitting.__annotations__.keys():
        near = nearest(name, known)
        raise TypeError(f"cluster() got an unexpected keyword argument '{name}'.{near}")
