"""Fitted models as folders of JSON and `.npy`: portable, checked when read, never pickled."""

import os
from typing import Any

import numpy as np

from coterie.base import EMEstimator
from coterie.corpus import Vocabulary
from coterie.errors import InputError
from coterie.persistence import load_folder, save_folder

KIND = "model"
PARAMETER, FITTED = "parameter-", "fitted-"


def save_model(model: EMEstimator, path: str | os.PathLike[str], **details: Any) -> None:
    """Write a fitted model as a folder, with its vocabulary and any plain `details`.

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
    parameters, parameter_arrays = _split(model.get_params(), PARAMETER)
    fitted = {name: value for name, value in vars(model).items() if _is_fitted_name(name)}
    if "components_" not in fitted:
        raise InputError(f"{type(model).__name__}: not fitted, so there is nothing to save")
    attributes, attribute_arrays = _split(fitted, FITTED)
    values = {
        "class": type(model).__name__,
        "parameters": parameters,
        "fitted": attributes,
        "details": details,
    }
    save_folder(path, KIND, values, parameter_arrays | attribute_arrays)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that `save_model` wrote."""
    values, arrays = load_folder(path, KIND)
    model = _class_named(values["class"], path)(
        **_join(values["parameters"], arrays, PARAMETER)
    )
    for name, value in _join(values["fitted"], arrays, FITTED).items():
        setattr(model, name, value)
    return model


def model_details(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The plain details saved beside a model."""
    details: dict[str, Any] = load_folder(path, KIND)[0]["details"]
    return details


def _is_fitted_name(name: str) -> bool:
    return name.endswith("_") and not name.startswith("_")


def _split(items: dict[str, Any], prefix: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide into JSON values and arrays."""
    plain: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for name, value in items.items():
        if isinstance(value, np.ndarray) and value.dtype != object:
            arrays[prefix + name] = value
        elif isinstance(value, np.ndarray):
            plain[name] = {"strings": value.tolist()}
        elif isinstance(value, Vocabulary):
            plain[name] = {"vocabulary": value.to_json()}
        elif isinstance(value, np.random.RandomState):
            plain[name] = None
        else:
            plain[name] = value.item() if isinstance(value, np.generic) else value
    return plain, arrays


def _join(plain: dict[str, Any], arrays: dict[str, Any], prefix: str) -> dict[str, Any]:
    items = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
    for name, value in plain.items():
        if isinstance(value, dict) and "strings" in value:
            items[name] = np.array(value["strings"], dtype=object)
        elif isinstance(value, dict) and "vocabulary" in value:
            items[name] = Vocabulary.from_json(value["vocabulary"])
        else:
            items[name] = value
    return items


def _class_named(name: str, path: Any) -> Any:
    import coterie

    found = getattr(coterie, name, None) if name in coterie.__all__ else None
    if not (isinstance(found, type) and issubclass(found, EMEstimator)):
        raise InputError(f"{path}: holds a {name}, a model this Coterie does not know")
    return found
