"""Kinds of files, one a module; the first that recognises a file reads it."""

from coterie.corpus.kinds import (
    arrow,
    databases,
    delimited,
    json_files,
    mailboxes,
    office,
    pages,
    plain,
    xml_files,
)
from coterie.corpus.kinds.opened import Kind, OpenFile

KINDS: tuple[Kind, ...] = (
    delimited.KIND,
    json_files.LINES,
    json_files.KIND,
    arrow.PARQUET,
    arrow.ARROW,
    databases.KIND,
    *office.KINDS,
    mailboxes.MBOX,
    mailboxes.MAIL,
    pages.KIND,
    xml_files.KIND,
    plain.KIND,
)
BY_SUFFIX = {suffix: kind for kind in KINDS for suffix in kind.suffixes}
TABLES = tuple(
    suffix
    for kind in (delimited.KIND, json_files.LINES, arrow.PARQUET, arrow.ARROW, databases.KIND)
    for suffix in kind.suffixes
)


def kind_of(file: OpenFile) -> Kind:
    """The kind of a file, by its extension; by its first bytes where that says nothing.

    Mail is recognised in files of text too, as mail programs and archives of lists save it so.
    """
    named = BY_SUFFIX.get(file.suffix)
    if named is not None and named is not plain.KIND:
        return named
    possible = KINDS if named is None else (mailboxes.MBOX, mailboxes.MAIL)
    sample = file.sample()
    return next((kind for kind in possible if kind.recognises(sample)), plain.KIND)
