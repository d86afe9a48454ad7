"""Fitted models as folders: portable, checked when read, never pickled."""

import os
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from coterie import schema
from coterie.base import TakesCounts
from coterie.corpus import Vocabulary
from coterie.errors import InputError
from coterie.folders import finish_moving_in
from coterie.persistence import load, refuse_object, save, understood

KIND = "model"
MODEL_IN_RESULTS = "model"
NAMED = schema.Values(schema.Field())
PACKED: dict[str, schema.Field] = {
    "class": schema.Is(str),
    "parameters": NAMED,
    "fitted": schema.Values(schema.Field(), optional=True),
}
CONTENT = PACKED | {"fitted": schema.Values(schema.Field()), "details": NAMED}


def save_model(model: Any, path: str | os.PathLike[str], **details: Any) -> None:
    """Write a fitted model as a folder, with its vocabulary and any plain `details`.

    A generator as `random_state` is not saved; a number is.

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
    name = type(model).__name__
    if not _is_public(name):
        raise InputError(f"{name} is not a model of Coterie, so it cannot be saved")
    if not any(schema.is_fitted(attribute) for attribute in vars(model)):
        raise InputError(f"{name} is not fitted, so there is nothing to save")
    save(path, KIND, {**_pack(model, name), "details": details}, _pack)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save_model` wrote, or that of a folder of results.

    The folder may come from a stranger: every parameter and every fitted attribute is checked
    against what its class declares, before anything computes with it.
    """
    return load_with_details(path)[0]


def load_with_details(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read a model as `load_model` does, and the plain details saved beside it."""
    finish_moving_in(Path(path))
    inner = Path(path) / MODEL_IN_RESULTS
    folder = inner if inner.is_dir() else Path(path)
    content = load(folder, KIND, _unpack)
    with understood(folder):
        schema.check_fields("", content, CONTENT, {})
        details = content.pop("details")
        return _unpack(content), details


def _is_public(name: str) -> bool:
    """Tell whether a class is one of Coterie's estimators, or of their parameters."""
    import coterie

    kind = getattr(coterie, name, None) if name in coterie.__all__ else None
    return isinstance(kind, type) and (issubclass(kind, BaseEstimator) or is_dataclass(kind))


def _pack(value: Any, name: str) -> dict[str, Any]:
    """An object a model may hold, as plain values and arrays."""
    kind = type(value).__name__
    if isinstance(value, Vocabulary):
        return {"class": kind, "parameters": value.to_values()}
    if not _is_public(kind):
        refuse_object(value, name)
    if not isinstance(value, BaseEstimator):
        parameters = {field.name: getattr(value, field.name) for field in fields(value)}
        return {"class": kind, "parameters": parameters}
    parameters = value.get_params(deep=False)
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        parameters["random_state"] = None
    fitted = {key: item for key, item in vars(value).items() if schema.is_fitted(key)}
    return {"class": kind, "parameters": parameters, "fitted": fitted}


def _unpack(content: Any) -> Any:
    """The object that `_pack` took apart, checked."""
    import coterie

    schema.Record(PACKED).check("object", content, {})
    name, parameters = content["class"], content["parameters"]
    if name == Vocabulary.__name__:
        return Vocabulary.from_values(parameters)
    if not _is_public(name):
        raise InputError(f"holds a {name[:40]}, which this Coterie does not know")
    kind = getattr(coterie, name)
    schema.check_parameters(kind, parameters)
    value = kind(**parameters)
    fitted = content.get("fitted", {})
    if fitted and not isinstance(value, TakesCounts):
        raise InputError(f"{name}: fitted attributes, expected none")
    for key, item in fitted.items():
        if not schema.is_fitted(key):
            raise InputError(f"{name}: {key[:40]!r} is no name of a fitted attribute")
        setattr(value, key, item)
    if fitted:
        schema.check(value)
    return value
