"""Fingerprints of the code that a result is computed by.

A fingerprint covers the sources of the experiment, of the classes of its methods, and of all
modules of `coterie` and `coterie_papers` that these import. Comments, docstrings and layout do
not count.
"""

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

from coterie.methods import METHODS

PACKAGES = ("coterie", "coterie_papers")
ROOT = Path(__file__).parents[1]
REGISTRIES = frozenset({*PACKAGES, "coterie.methods", "coterie_papers.cells"})
"""Modules that name all methods or run all experiments: what they import does not count."""


@cache
def fingerprint(experiment: str, method: str) -> str:
    """Fingerprint of an experiment with a method; "first+second" has the code of both.

    Examples
    --------
    >>> mixture = fingerprint("clustering.scores", "mm")
    >>> mixture == fingerprint("clustering.pairs", "mm")
    True
    >>> mixture == fingerprint("clustering.scores", "plsa")
    False
    """
    models = [METHODS[name].make(2) for name in re.split(r"[+,]", method) if name in METHODS]
    roots = {f"coterie_papers.{experiment.rpartition('.')[0]}"}
    roots.update(module for model in models for module in _modules_of(model))
    made = [model.__repr__(N_CHAR_MAX=10_000) for model in models]
    digests = [f"{name} {_parsed(name)[0]}" for name in sorted(_closure(roots))]
    return _digest("\n".join([*made, *digests]))


def _modules_of(model: Any) -> Iterator[str]:
    """Modules of the class of an estimator and its bases, and of estimators inside it."""
    inside = [
        value for value in model.get_params().values() if isinstance(value, BaseEstimator)
    ]
    for each in (model, *inside):
        for base in type(each).__mro__:
            yield base.__module__


def _closure(roots: Iterable[str]) -> set[str]:
    """The modules of our packages that these modules import, and they themselves."""
    found: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in found and name not in REGISTRIES and _source(name) is not None:
            found.add(name)
            todo += _parsed(name)[1]
    return found


def _source(name: str) -> Path | None:
    """The file of a module of our packages; None for any other name."""
    if name.partition(".")[0] not in PACKAGES:
        return None
    base = ROOT.joinpath(*name.split("."))
    files = (base.with_suffix(".py"), base / "__init__.py")
    return next((file for file in files if file.is_file()), None)


@cache
def _parsed(name: str) -> tuple[str, list[str]]:
    """Digest of the code of a module, and the names that it imports."""
    file = _source(name)
    assert file is not None
    tree = ast.parse(file.read_bytes())
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported += [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
    return _digest(code(tree)), imported


def code(tree: ast.AST) -> str:
    """Source of a parsed module without comments, docstrings and layout.

    Examples
    --------
    >>> print(code(ast.parse('def f( x ):  # why\\n    "Says."\\n    return  x')))
    def f(x):
        return x
    """
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_text(each)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(tree)


def _is_text(node: ast.AST) -> bool:
    """Whether a statement is a text alone, as docstrings are."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]
