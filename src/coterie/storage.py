"""Fitted models as folders of JSON and `.npy`: portable, checked when read, never pickled."""

import os
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from coterie.corpus import Vocabulary
from coterie.errors import InputError
from coterie.persistence import load_folder, save_folder

KIND = "model"
SPARSE = ("data", "indices", "indptr")


def save_model(model: Any, path: str | os.PathLike[str], **details: Any) -> None:
    """Write a fitted model as a folder, with its vocabulary and any plain `details`.

    A generator given as `random_state` is not kept; a number is.

    Examples
    --------
    >>> import tempfile, coterie
    >>> folder = tempfile.mkdtemp() + "/model"
    >>> X = [[3, 0], [2, 0], [0, 4]]
    >>> fitted = coterie.PLSA(2, random_state=0).fit(X)
    >>> coterie.save_model(fitted, folder)
    >>> bool((coterie.load_model(folder).predict(X) == fitted.labels_).all())
    True
    """
    _class_named(type(model).__name__, type(model).__module__)
    if not any(_is_fitted_name(name) for name in vars(model)):
        raise InputError(f"{type(model).__name__}: not fitted, so there is nothing to save")
    arrays: dict[str, Any] = {}
    values = {**_dump(model, "", arrays), "details": details}
    save_folder(path, KIND, values, arrays)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save_model` wrote."""
    values, arrays = load_folder(path, KIND)
    return _restore(values, arrays, path)


def model_details(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The plain details saved beside a model."""
    details: dict[str, Any] = load_folder(path, KIND)[0]["details"]
    return details


def _is_fitted_name(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _dump(model: Any, prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """A model as plain values, its arrays added to `arrays` under names that begin so."""
    fitted = {name: value for name, value in vars(model).items() if _is_fitted_name(name)}
    parameters = model.get_params(deep=False)
    return {
        "class": type(model).__name__,
        "parameters": _plain(parameters, f"{prefix}parameter-", arrays),
        "fitted": _plain(fitted, f"{prefix}fitted-", arrays),
    }


def _plain(items: dict[str, Any], prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {name: _value(value, prefix + name, arrays) for name, value in items.items()}


def _value(value: Any, name: str, arrays: dict[str, Any]) -> Any:
    if isinstance(value, np.ndarray) and value.dtype != object:
        arrays[name] = value
        return {"array": name}
    if isinstance(value, np.ndarray):
        return {"strings": value.tolist()}
    if sp.issparse(value):
        parts = sp.csr_array(value)
        for part in SPARSE:
            arrays[f"{name}-{part}"] = getattr(parts, part)
        return {"sparse": [name, *parts.shape]}
    if isinstance(value, Vocabulary):
        return {"vocabulary": value.to_json()}
    if isinstance(value, BaseEstimator):
        _class_named(type(value).__name__, name)
        return {"model": _dump(value, f"{name}.", arrays)}
    return _collection(value, name, arrays)


def _collection(value: Any, name: str, arrays: dict[str, Any]) -> Any:
    """Lists and mappings of what is not plain, or what is."""
    if isinstance(value, list) and any(
        isinstance(item, np.ndarray | BaseEstimator) for item in value
    ):
        return {"list": [_value(item, f"{name}-{i}", arrays) for i, item in enumerate(value)]}
    if isinstance(value, dict):
        items = enumerate(value.items())
        return {
            "mapping": {key: _value(item, f"{name}-{i}", arrays) for i, (key, item) in items}
        }
    return None if isinstance(value, np.random.RandomState) else value


def _restore(values: dict[str, Any], arrays: dict[str, Any], path: Any) -> Any:
    readers = {
        "array": arrays.__getitem__,
        "list": lambda items: [value(item) for item in items],
        "mapping": lambda items: {name: value(item) for name, item in items.items()},
        "model": lambda model: _restore(model, arrays, path),
        "sparse": lambda named: _restore_sparse(arrays, *named),
        "strings": lambda strings: np.array(strings, dtype=object),
        "vocabulary": Vocabulary.from_json,
    }

    def value(saved: Any) -> Any:
        if not isinstance(saved, dict) or len(saved) != 1:
            return saved
        ((kind, content),) = saved.items()
        return readers[kind](content) if kind in readers else saved

    parameters = {name: value(saved) for name, saved in values["parameters"].items()}
    model = _class_named(values["class"], path)(**parameters)
    for name, saved in values["fitted"].items():
        setattr(model, name, value(saved))
    return model


def _restore_sparse(arrays: dict[str, Any], name: str, *shape: int) -> sp.csr_array:
    return sp.csr_array(tuple(arrays[f"{name}-{part}"] for part in SPARSE), shape=shape)


def _class_named(name: str, path: Any) -> Any:
    import coterie

    found = getattr(coterie, name, None) if name in coterie.__all__ else None
    if not (isinstance(found, type) and issubclass(found, BaseEstimator)):
        raise InputError(f"{path}: holds a {name}, a model this Coterie does not know")
    return found
