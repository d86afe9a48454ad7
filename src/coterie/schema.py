"""What the fitted attributes of a class must be, so that a folder from a stranger is checked.

A class declares its attributes once, as `_schema`: fields by name. Shapes are written in the
sizes of a model: `"K m"` is clusters by words, `"V+1"` one more than there are views, `"*"` any
size. A size that no parameter sets is that of the first attribute that has it.

    K clusters, L word clusters, m words, n documents, V views; others as a class needs them

`check` compares. Nothing is computed before all is known to fit.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from inspect import signature
from numbers import Integral, Real
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import scipy.sparse as sp

from coterie.errors import InputError

Sizes = dict[str, int]
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
WHOLES = (np.dtype(np.int32), np.dtype(np.int64))
NAMES = {
    "K": "clusters",
    "L": "word clusters",
    "m": "words",
    "n": "documents",
    "V": "views",
}
MOST = 2**62  # of any size
MISUSED = (TypeError, ValueError, AttributeError, OverflowError)  # by a value of any type
SUM_TOLERANCE = 1e-3  # single precision, many words


@dataclass(frozen=True)
class Field:
    """What an attribute must be; by itself, anything.

    An `optional` one may be absent; one with `when` is there exactly where that is true of the
    estimator.
    """

    _: KW_ONLY
    optional: bool = False
    when: Callable[[Any], bool] | None = None

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Refuse a value that is not as declared; sizes met for the first time are added."""


@dataclass(frozen=True)
class Numbers(Field):
    """An array of real numbers, in [low, high]; where `sums` are, its rows sum to one of them.

    Examples
    --------
    >>> sizes = {"K": 2}
    >>> Numbers("K m", low=0).check("components_", np.ones((2, 5)), sizes)
    >>> sizes
    {'K': 2, 'm': 5}
    >>> Numbers("K m").check("components_", np.ones((2, 4)), sizes)
    Traceback (most recent call last):
    coterie.errors.InputError: components_: shape (2, 4), expected 2 clusters x 5 words
    """

    shape: str
    low: float = -np.inf
    high: float = np.inf
    sums: tuple[float, ...] = ()
    finite: bool = True

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, shape, numbers and sums of rows."""
        _check_array(name, value, FLOATS, self.shape, sizes)
        if self.finite:
            _check_range(name, value, self.low, self.high)
        if self.sums:
            totals = value.sum(axis=-1, dtype=np.float64)
            wrong = np.min([abs(totals - each) for each in self.sums], axis=0) > SUM_TOLERANCE
            if np.any(wrong):
                expected = " or ".join(f"{each:g}" for each in self.sums)
                raise InputError(
                    f"{name}: a row sums to {np.ravel(totals)[np.ravel(wrong)][0]:.6g}, "
                    f"expected {expected}"
                )


def Distributions(shape: str, **presence: Any) -> Numbers:
    """Probabilities whose rows sum to one."""
    return Numbers(shape, 0, 1 + SUM_TOLERANCE, (1,), **presence)


def Shares(shape: str, **presence: Any) -> Numbers:
    """Probabilities whose rows sum to one, or to zero where there is nothing to share."""
    return Numbers(shape, 0, 1 + SUM_TOLERANCE, (0, 1), **presence)


@dataclass(frozen=True)
class Wholes(Field):
    """An array of whole numbers of at least `low`, and below the first size that is known.

    Examples
    --------
    >>> Wholes("n", ("K",)).check("labels_", np.array([0, 2]), {"K": 2})
    Traceback (most recent call last):
    coterie.errors.InputError: labels_: holds 2, expected numbers from 0 to 1
    """

    shape: str
    below: tuple[str, ...] = ()
    low: int = 0
    dtypes: tuple[Any, ...] = WHOLES

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, shape and range."""
        _check_array(name, value, self.dtypes, self.shape, sizes)
        limits = [sizes[each] for each in self.below if each in sizes]
        _check_range(name, value, self.low, limits[0] - 1 if limits else MOST)


@dataclass(frozen=True)
class Flags(Field):
    """An array of true and false."""

    shape: str

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type and shape."""
        _check_array(name, value, (np.dtype(bool),), self.shape, sizes)


@dataclass(frozen=True)
class Objects(Field):
    """An array of objects of some types, by default strings."""

    shape: str
    kinds: tuple[type, ...] = (str,)

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, shape and each value."""
        _check_array(name, value, (np.dtype(object),), self.shape, sizes)
        for each in value.ravel():
            _check_type(name, each, self.kinds, "strings" if str in self.kinds else "numbers")


@dataclass(frozen=True)
class Sparse(Field):
    """A sparse array of rows, its numbers finite and of at least `low`."""

    shape: str
    low: float = 0.0
    dtypes: tuple[Any, ...] = FLOATS

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, structure, shape and numbers."""
        _check_type(name, value, sp.csr_array, "a sparse array of rows")
        check_rows(name, value.data, value.indices, value.indptr, value.shape)
        _check_dtype(name, value.dtype, self.dtypes)
        _check_shape(name, value.shape, self.shape, sizes)
        _check_range(name, value.data, self.low, np.inf)


@dataclass(frozen=True)
class Linkage(Field):
    """A tree as scipy's `linkage` writes it, of so many leaves: each node is merged once."""

    leaves: str

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, shape, and the nodes of each merge."""
        _check_array(name, value, FLOATS, f"{self.leaves}-1 4", sizes)
        _check_range(name, value, 0, np.inf)
        nodes, n_leaves = value[:, :2], len(value) + 1
        before = n_leaves + np.arange(len(value))[:, None]
        known = np.all(nodes < before) and np.all(nodes == np.floor(nodes))
        if not known or len(np.unique(nodes)) != nodes.size:
            raise InputError(f"{name}: not a tree, expected merges of nodes, each once")


@dataclass(frozen=True)
class Whole(Field):
    """A whole number, which is the size named, if one is.

    Examples
    --------
    >>> Whole(1).check("n_iter_", 2.5, {})
    Traceback (most recent call last):
    coterie.errors.InputError: n_iter_: 2.5, expected a whole number of at least 1
    """

    low: int = 0
    size: str = ""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type and range."""
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or not self.low <= value <= MOST:
            raise InputError(
                f"{name}: {_shown(value)}, expected a whole number of at least {self.low}"
            )
        if self.size and sizes.setdefault(self.size, int(value)) != value:
            expected = f"{sizes[self.size]} {NAMES.get(self.size, self.size)}"
            raise InputError(f"{name}: {value}, expected {expected}")


@dataclass(frozen=True)
class Number(Field):
    """A number in [low, high], or any at all where it need not be `finite`."""

    low: float = -np.inf
    high: float = np.inf
    finite: bool = True

    def check(self, name: str, value: Any, sizes: Sizes) -> None:  # noqa: ARG002
        """Type and range."""
        number = isinstance(value, Real) and not isinstance(value, bool)
        if number and not self.finite:
            return
        most = np.finfo(float).max
        if not number or not max(self.low, -most) <= value <= min(self.high, most):
            expected = _interval(self.low, self.high)
            raise InputError(f"{name}: {_shown(value)}, expected a finite number{expected}")


@dataclass(frozen=True)
class Is(Field):
    """A value of a type, of a length where one is named: `Is(bool)`, `Is(Vocabulary, "m")`."""

    kind: Any
    length: str = ""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type and length."""
        _check_type(name, value, self.kind, f"a value of type {self.kind.__name__}")
        if self.length:
            _check_shape(name, (len(value),), self.length, sizes)


@dataclass(frozen=True)
class Items(Field):
    """A list, or another sequence, of what a field says, of a length where one is named."""

    field: Field
    length: str = "*"
    kind: type = list

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, length, and each item."""
        _check_type(name, value, self.kind, f"a {self.kind.__name__}")
        _check_shape(name, (len(value),), self.length, sizes)
        for number, item in enumerate(value):
            self.field.check(f"{name}[{number}]", item, sizes)


@dataclass(frozen=True)
class Row(Field):
    """A list of as many items as there are fields, each as its own field says."""

    fields: tuple[Field, ...]

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, length, and each item."""
        _check_type(name, value, list, "a list")
        _check_shape(name, (len(value),), str(len(self.fields)), sizes)
        for number, (field, item) in enumerate(zip(self.fields, value, strict=True)):
            field.check(f"{name}[{number}]", item, sizes)


@dataclass(frozen=True)
class Values(Field):
    """A dictionary of strings to what a field says."""

    field: Field

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Type, and each value."""
        _check_type(name, value, dict, "a dictionary")
        for key, item in value.items():
            _check_type(f"{name}: key {_shown(key)}", key, str, "a string")
            self.field.check(f"{name}[{key!r}]", item, sizes)


@dataclass(frozen=True)
class Record(Field):
    """A dictionary of named fields; empty too, where it may be."""

    fields: Mapping[str, Field]
    empty: bool = False

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """The names, and each value."""
        _check_type(name, value, dict, "a dictionary")
        if value or not self.empty:
            check_fields(f"{name}: ", value, self.fields, sizes)


@dataclass(frozen=True)
class Either(Field):
    """What one of several fields says.

    Examples
    --------
    >>> Either((Is(type(None)), Whole())).check("x", None, {})
    """

    fields: tuple[Field, ...]

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """By the first field that fits; else what the last one complains of."""
        for field in self.fields:
            tried = dict(sizes)
            try:
                field.check(name, value, tried)
            except InputError as error:
                complaint = error
            else:
                sizes.update(tried)
                return
        raise complaint


@dataclass(frozen=True)
class Estimator(Field):
    """A fitted estimator of a class; `sizes` say which of its sizes is which of these."""

    kind: type
    sizes: Mapping[str, str]

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Class, attributes and sizes."""
        _check_type(name, value, self.kind, f"a fitted {self.kind.__name__}")
        try:
            inner = check(value)
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
        for theirs, ours in self.sizes.items():
            what = f"{name}: {NAMES.get(theirs, theirs)}"
            _check_shape(what, (inner.get(theirs, 0),), ours, sizes)


def check_parameters(kind: type, parameters: Mapping[str, Any]) -> None:
    """Refuse parameters that a class does not have, or whose type is not as annotated.

    Examples
    --------
    >>> from coterie import Dirichlet
    >>> check_parameters(Dirichlet, {"concentration": "high"})
    Traceback (most recent call last):
    coterie.errors.InputError: Dirichlet: concentration='high', expected float
    """
    name, hints = kind.__name__, get_type_hints(kind)
    expected = set(signature(kind).parameters)
    if parameters.keys() != expected:
        differing = min(parameters.keys() ^ expected)
        raise InputError(f"{name}: parameter {differing[:40]!r} is missing or not known")
    for key, value in parameters.items():
        alone = get_origin(hints[key]) is tuple
        kinds = (hints[key],) if alone else get_args(hints[key]) or (hints[key],)
        if not any(_is_of(value, each) for each in kinds):
            wanted = " or ".join(getattr(each, "__name__", str(each)) for each in kinds)
            raise InputError(f"{name}: {key}={_shown(value)}, expected {wanted}")


def _is_of(value: Any, kind: Any) -> bool:
    if kind is Any:
        return True
    if kind in (int, float):
        number: type = Integral if kind is int else Real
        return isinstance(value, number) and not isinstance(value, bool)
    items = tuple if get_origin(kind) is tuple else None  # the one generic type: of strings
    if items:
        return isinstance(value, items) and all(isinstance(item, str) for item in value)
    return isinstance(value, kind)


def check(estimator: Any) -> Sizes:
    """Refuse an estimator whose fitted attributes are not as its class declares.

    Returns the sizes. `_sizes` of the class gives those known from parameters; `_check_fitted`
    compares what no field can.

    Examples
    --------
    >>> from coterie import PLSA
    >>> model = PLSA(2, random_state=0).fit([[3, 0], [2, 0], [0, 4]])
    >>> check(model)
    {'K': 2, 'm': 2, 'n': 3}
    >>> model.weights_ = np.tile(model.weights_, 2)
    >>> check(model)
    Traceback (most recent call last):
    coterie.errors.InputError: PLSA: weights_: shape (4,), expected 2 clusters
    """
    name = type(estimator).__name__
    attributes = {key: item for key, item in vars(estimator).items() if is_fitted(key)}
    sizes: Sizes = estimator._sizes()
    declared = {
        key: field
        for key, field in estimator._schema.items()
        if field.when is None or field.when(estimator)
    }
    try:
        check_fields("", attributes, declared, sizes)
        estimator._check_fitted(sizes)
    except (InputError, *MISUSED) as error:
        raise InputError(f"{name}: {error}") from error
    return sizes


def is_fitted(name: str) -> bool:
    """Tell whether an attribute of this name is one of a fit."""
    return name.endswith("_") and not name.startswith("_")


def axes_of(fields: Mapping[str, Field], size: str) -> dict[str, int]:
    """Which arrays have an axis of a size, and which axis that is.

    Examples
    --------
    >>> axes_of({"memberships_": Numbers("n K"), "labels_": Wholes("n", ("K",))}, "K")
    {'memberships_': 1}
    """
    shapes = {
        name: field.shape.split()
        for name, field in fields.items()
        if isinstance(field, Numbers | Wholes)
    }
    return {name: shape.index(size) for name, shape in shapes.items() if size in shape}


def check_fields(
    where: str, values: Mapping[str, Any], fields: Mapping[str, Field], sizes: Sizes
) -> None:
    """Refuse values of which one is unknown, missing, or not as its field says."""
    unknown = [name for name in values if name not in fields]
    if unknown:
        raise InputError(f"{where}{_shown(unknown[0])}: not known; this should not be there")
    for name in sorted(fields, key=lambda name: bool(getattr(fields[name], "below", ()))):
        field = fields[name]  # those below a size come when all sizes are known
        if name in values:
            field.check(f"{where}{name}", values[name], sizes)
        elif not field.optional:
            raise InputError(f"{where}{name}: missing")


def check_rows(name: str, data: Any, indices: Any, indptr: Any, shape: Any) -> None:
    """Refuse parts that are no sparse array of rows: what C code would read out of bounds.

    Columns of a row may be in any order, but none may come twice.
    """
    for part, values, kinds in (
        ("data", data, (*FLOATS, *WHOLES, np.dtype(bool))),
        ("indices", indices, WHOLES),
        ("indptr", indptr, WHOLES),
    ):
        _check_array(f"{name}: {part}", values, kinds, "*", {})
    sides = isinstance(shape, list | tuple) and len(shape) == 2
    if not sides or not all(type(side) is int and 0 <= side < MOST for side in shape):
        raise InputError(f"{name}: shape {_shown(shape)}, expected rows and columns")
    n_rows, n_columns = shape
    if len(indptr) != n_rows + 1 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise InputError(f"{name}: indptr, expected {n_rows + 1} rising numbers from 0")
    if not indptr[-1] == len(indices) == len(data):
        raise InputError(
            f"{name}: {len(data)} data and {len(indices)} indices, expected {indptr[-1]}"
        )
    _check_range(f"{name}: indices", indices, 0, n_columns - 1)
    rows = np.repeat(np.arange(n_rows), np.diff(indptr))
    order = np.lexsort((indices, rows)) if np.any(np.diff(indices) <= 0) else slice(None)
    same_row, same_column = np.diff(rows) == 0, np.diff(indices[order]) == 0
    if np.any(same_row & same_column):
        raise InputError(f"{name}: a row has the same column twice")


def _check_array(name: str, value: Any, dtypes: Any, shape: str, sizes: Sizes) -> None:
    _check_type(name, value, np.ndarray, "an array")
    _check_dtype(name, value.dtype, dtypes)
    _check_shape(name, value.shape, shape, sizes)


def _check_dtype(name: str, dtype: Any, dtypes: Any) -> None:
    if dtype not in dtypes:
        expected = " or ".join(str(each) for each in dtypes)
        raise InputError(f"{name}: of type {dtype}, expected {expected}")


def _check_shape(name: str, found: tuple[int, ...], shape: str, sizes: Sizes) -> None:
    axes = shape.split()
    tried = dict(sizes)
    pairs = zip(found, axes, strict=False)
    if len(found) != len(axes) or not all(_fits(side, axis, tried) for side, axis in pairs):
        expected = " x ".join(_described(axis, sizes) for axis in axes)
        raise InputError(f"{name}: shape {found}, expected {expected}")
    sizes.update(tried)


def _parsed(axis: str) -> tuple[str, int]:
    """A size and what is added to it: "V+1" is V and 1, "4" no size and 4."""
    size, offset = re.fullmatch(r"([A-Za-z]*)([+-]?\d+)?", axis).groups()  # type: ignore[union-attr]
    return size, int(offset or 0)


def _fits(side: int, axis: str, sizes: Sizes) -> bool:
    if axis == "*":
        return True
    size, offset = _parsed(axis)
    if not size:
        return side == offset
    if side - offset < 1:
        return False
    return sizes.setdefault(size, side - offset) == side - offset


def _described(axis: str, sizes: Sizes) -> str:
    if axis == "*":
        return "any number"
    size, offset = _parsed(axis)
    if not size:
        return str(offset)
    number = str(sizes[size] + offset) if size in sizes else f"{axis}, the number of"
    return f"{number} {NAMES.get(size, '')}".rstrip()


def _check_range(name: str, values: Any, low: float, high: float) -> None:
    if not values.size:
        return
    least, most = values.min(), values.max()  # of any that is not a number, that
    for extreme, wrong in ((least, not least >= low), (most, not most <= high)):
        if wrong or not np.isfinite(extreme):
            expected = _interval(low, high)
            raise InputError(f"{name}: holds {extreme:.6g}, expected numbers{expected}")


def _interval(low: float, high: float) -> str:
    if high in (np.inf, MOST):
        return "" if low == -np.inf else f" of at least {low:g}"
    return f" from {low:g} to {high:g}"


def _check_type(name: str, value: Any, kind: Any, expected: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"{name}: {_shown(value)}, expected {expected}")


def _shown(value: Any) -> str:
    """A value in an error: short, whatever it is."""
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int):
        return str(value) if abs(value) < MOST else "a huge number"
    return repr(value[:40]) if isinstance(value, str) else f"of type {type(value).__name__}"
