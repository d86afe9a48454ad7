"""The model of a folder of results, read back with the details saved beside it."""

import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from coterie.errors import InputError
from coterie.folders import MANIFEST, RECORD, finish_moving_in, read_record
from coterie.persistence import named
from coterie.schema import (
    Either,
    Field,
    Is,
    Items,
    Number,
    Record,
    Row,
    Values,
    Whole,
    check_fields,
)
from coterie.storage import load_with_details

MODEL = "model"
CORPUS = "corpus"
PARTS = "parts"
OUR_FOLDERS = (MODEL, CORPUS, PARTS)
"""Folders of results that hold nothing of others."""
NUMBER = re.compile(r"[1-9][0-9]{0,8}")
NAMES = Either((Is(type(None)), Items(Is(str)), Items(Is(str), kind=tuple)), optional=True)
NAME = Either((Is(type(None)), Is(str)), optional=True)
COLUMNS = {
    "text": NAMES, "views": NAMES, "id": NAME, "label": NAME, "title": NAME,
    "embeddings": NAME,
}  # fmt: skip
MAY_BE_WHOLE = Either((Is(type(None)), Whole(1)), optional=True)
SETTINGS: dict[str, Field] = {
    "n_clusters": Either((Is(str), Whole(1)), optional=True),
    "method": Is(str, optional=True),
    "seed": Whole(optional=True),
    "n_word_clusters": MAY_BE_WHOLE,
    "init": NAME,
    "n_init": MAY_BE_WHOLE,
    "max_iter": MAY_BE_WHOLE,
    "online": Is(bool, optional=True),
    "accelerated": Is(bool, optional=True),
}
DETAILS: dict[str, Field] = {  # saved with a model that are read again
    "names": Values(Is(str), optional=True),
    "columns": Record(COLUMNS, empty=True, optional=True),
    "source": Is(str, optional=True),
    "title": Is(str, optional=True),
    "seconds": Either((Is(type(None)), Number(0)), optional=True),
    "settings": Record(SETTINGS, empty=True, optional=True),
    "library": Is(str, optional=True),
    "raw_csv": Is(bool, optional=True),
    "page": Is(str, optional=True),
    "layout": Is(str, optional=True),
    "edits": Items(Field(), optional=True),
    "parent": Either((Is(type(None)), Row((Is(str), Whole(1), Is(str)))), optional=True),
    "run": Is(str, optional=True),
}


class Saved(NamedTuple):
    """A saved model, and the details that were saved with it."""

    model: Any
    details: dict[str, Any]

    @property
    def names(self) -> dict[int, str]:
        """Names of the clusters, by number."""
        names = self.details.get("names", {}).items()
        return {int(number): name for number, name in names if NUMBER.fullmatch(number)}

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table that was clustered, where it was one."""
        return dict(self.details.get("columns", {}))


def load_saved(path: str | os.PathLike[str]) -> Saved:
    """Read the model of a results folder, or a model folder itself."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such folder")
    finish_moving_in(path)
    folder = path / MODEL if (path / MODEL).is_dir() else path
    if not (folder / MANIFEST).is_file():
        raise InputError(
            f"{path}: not a folder saved by Coterie, expected one that `coterie cluster --out` "
            "or `save` wrote"
        )
    model, details = load_with_details(folder)
    run = read_record(path, RECORD).get("run")
    if folder != path and run and run != details.get("run"):
        raise InputError(f"{folder}: not written with the other results in {path}")
    with named(folder):
        refuse_unclustered(model)
        known = {name: each for name, each in details.items() if name in DETAILS}
        check_fields("details: ", known, DETAILS, {})
    return Saved(model, details)


def refuse_unclustered(model: Any) -> None:
    """Refuse a model that assigns no document to a cluster, such as a selection of words."""
    if not hasattr(model, "memberships_"):
        raise InputError(f"holds a {type(model).__name__}, expected a model of clusters")


def portable_source(source: Path, results: Path, *, also_from_here: bool = True) -> str:
    """Where documents lie, seen from the results or from here, without telling the whole path.

    What is only reached through the root keeps its name alone.

    Examples
    --------
    >>> portable_source(Path("/data/news/a.csv"), Path("/data/results"))
    '../news/a.csv'
    >>> portable_source(Path("/data/news/a.csv"), Path("/tmp/results"))
    'a.csv'
    """
    source = source.resolve()
    for start in (results.resolve(), *([Path.cwd()] if also_from_here else [])):
        around = [each for each in (start, *start.parents) if each != each.parent]
        if any(source.is_relative_to(each) for each in around):
            return Path(os.path.relpath(source, start)).as_posix()
    return source.name
