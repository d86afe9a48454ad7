"""Results as values that JSON can hold."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from coterie.evaluation import Scores
from coterie.findings.assignments import DocumentRow
from coterie.findings.texts import encodable


def plain_parameter(value: Any) -> Any:
    """Make a parameter plain; what JSON cannot hold becomes the name of its type."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if isinstance(value, list | tuple):
        return [plain_parameter(each) for each in value]
    return type(value).__name__


def plain(value: Any) -> Any:
    """Give a result as dicts, lists and plain values."""
    if isinstance(value, Scores):
        return value.as_dict()
    if isinstance(value, DocumentRow):
        return value._asdict()
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(each) for each in value]
    return value
