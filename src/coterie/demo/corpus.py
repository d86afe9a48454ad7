"""The built-in corpus: docstrings of installed Python packages.

Nothing is shipped: documents are made from the docstrings of the standard library and SciPy,
so that they vary a little with their versions. The class of a document is its package.
"""

import ast
import importlib
import importlib.util
import re
import types
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

from coterie.corpus import Corpus, TextOptions
from coterie.demo.docstrings import sentences

SOURCES = {
    "asyncio": "asyncio",
    "decimal": "_pydecimal",
    "email": "email",
    "logging": "logging",
    "turtle": "turtle",
}
"""Class, and the module of the standard library whose source is read; it is not run."""

NAMESPACES = {
    "scipy.interpolate": ("scipy.interpolate",),
    "scipy.linalg": ("scipy.linalg",),
    "scipy.ndimage": ("scipy.ndimage",),
    "scipy.signal": ("scipy.signal",),
    "scipy.sparse": ("scipy.sparse", "scipy.sparse.csgraph"),
    "scipy.special": ("scipy.special",),
    "scipy.stats": ("scipy.stats",),
}
"""Class, and the modules whose public names are documented when they are imported."""

WITHOUT_METHODS = {"scipy.stats"}
"""Here methods are those of distributions, whose docstrings are all the same."""

ENGLISH = TextOptions(language="en")

MIN_WORDS = 15
PER_CLASS = 200
"""Larger classes are thinned evenly, so that none is much larger than the others."""

MAX_REPEATS = 5
"""A sentence in more documents than this is boilerplate, and is dropped from all."""

Named: TypeAlias = Iterator[tuple[str, str]]
_Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class DemoDocument(NamedTuple):
    """The docstring of one function, class or method."""

    id: str
    label: str
    title: str
    text: str


def load_demo(options: TextOptions = ENGLISH) -> Corpus:
    """Make the built-in corpus; its labels are the packages documents come from.

    Examples
    --------
    >>> corpus = load_demo()
    >>> "turtle" in corpus.labels
    True
    """
    documents = demo_documents()
    return Corpus.from_texts(
        [document.text for document in documents],
        ids=[document.id for document in documents],
        labels=[document.label for document in documents],
        titles=[document.title for document in documents],
        options=options,
    )


def demo_documents() -> list[DemoDocument]:
    """Gather the documents, sorted by class and name, each text once.

    Examples
    --------
    >>> labels = [document.label for document in demo_documents()]
    >>> labels[0], labels[-1]
    ('asyncio', 'turtle')
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        raw = [
            (name, label, sentences(docstring))
            for label in sorted({*SOURCES, *NAMESPACES})
            for name, docstring in sorted(_docstrings(label).items())
        ]
    documents = _documents(raw)
    by_class = [
        [document for document in documents if document.label == label]
        for label in dict.fromkeys(document.label for document in documents)
    ]
    return [document for members in by_class for document in _thin(members)]


def _docstrings(label: str) -> dict[str, str]:
    """Give the docstring of each name; of several, as with overridden methods, the first."""
    if label in SOURCES:
        named = _source_docstrings(label, SOURCES[label])
    else:
        named = _imported_docstrings(label, NAMESPACES[label])
    docstrings: dict[str, str] = {}
    for name, docstring in named:
        docstrings.setdefault(name, docstring)
    return docstrings


def _documents(raw: list[tuple[str, str, list[str]]]) -> list[DemoDocument]:
    """Drop sentences that many documents share, short documents, and repeated ones."""
    repeats = Counter(
        key for name, _, prose in raw for key in {_key(sentence, name) for sentence in prose}
    )
    documents = []
    earlier: set[str] = set()
    for name, label, prose in raw:
        text = "\n".join(s for s in prose if repeats[_key(s, name)] <= MAX_REPEATS)
        same = {text, _key(text, name)}
        if len(text.split()) >= MIN_WORDS and earlier.isdisjoint(same):
            documents.append(DemoDocument(name, label, prose[0], text))
        earlier |= same
    return documents


def _thin(members: list[DemoDocument]) -> list[DemoDocument]:
    n_left = min(len(members), PER_CLASS)
    return [members[rank * len(members) // n_left] for rank in range(n_left)]


def _key(sentence: str, name: str) -> str:
    """Make sentences equal that differ only in numbers or the name of what they document."""
    last = re.escape(name.rpartition(".")[2])
    return re.sub(rf"\b{last}\b|\d+", "#", sentence).lower()


def _source_docstrings(label: str, module: str) -> Named:
    for file, inner in _source_files(module):
        parts = [label, *(part for part in inner if part != "__init__")]
        if not any(part.startswith("_") for part in parts):
            tree = ast.parse(file.read_bytes(), filename=str(file))
            yield from _definitions(tree.body, ".".join(parts))


def _source_files(module: str) -> list[tuple[Path, tuple[str, ...]]]:
    """Find the source files of a module or package, each with its path inside the package."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return []
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return []
    origin = Path(spec.origin)
    if not origin.is_file():
        return []
    if spec.submodule_search_locations is None:
        return [(origin, ())]
    root = origin.parent
    return [(f, f.relative_to(root).with_suffix("").parts) for f in sorted(root.rglob("*.py"))]


def _definitions(body: Iterable[ast.stmt], path: str) -> Named:
    for node in body:
        if isinstance(node, _Definition) and not node.name.startswith("_"):
            name = f"{path}.{node.name}"
            if docstring := ast.get_docstring(node):
                yield name, docstring
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node.body, name)


def _imported_docstrings(label: str, namespaces: Iterable[str]) -> Named:
    for namespace in namespaces:
        try:
            module = importlib.import_module(namespace)
        except ImportError:
            continue
        for name in sorted(getattr(module, "__all__", ())):
            value = getattr(module, name, None)
            if name.startswith("_") or isinstance(value, types.ModuleType):
                continue
            yield f"{namespace}.{name}", getattr(value, "__doc__", None) or ""
            if isinstance(value, type) and label not in WITHOUT_METHODS:
                yield from _member_docstrings(value, f"{namespace}.{name}", label)


def _member_docstrings(owner: type, path: str, package: str) -> Named:
    for base in owner.__mro__:
        if base.__module__.startswith(package):
            for name, member in vars(base).items():
                docstring = getattr(member, "__doc__", None)
                is_member = callable(member) or isinstance(member, property)
                if is_member and docstring and not name.startswith("_"):
                    yield f"{path}.{name}", docstring
