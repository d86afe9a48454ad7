"""Rows of a table added eight numbers at a time, whatever the compiler makes of a loop.

A compiler gives a loop over clusters its widest instructions only where clusters are many: it
lays out several steps side by side, and what is left over goes one number at a time. Tables are
padded to multiples of `LANES`, so here each instruction takes as many, and sums stay in the
processor from the first word of a document to the last.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from coterie.kernels import LANES, prefetch, spare
from coterie.kernels.compiled import njit

STEP = 4  # rows that are added to one another before they are added to the sums
MOST = 4  # times `LANES` columns that are summed at a time
ANY_ORDER = ("contract", "reassoc")  # of the operations within a sum

_BYTES = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_DOUBLES = ir.VectorType(ir.DoubleType(), LANES)
_FIRST = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)


@njit(nogil=True)
def add_rows(sums, table, indices, data, first, last, ahead):
    """Add the rows of a table that some indices name, times their data, to sums.

    Equivalent to `sums += data[first:last] @ table[indices[first:last]]`, in double precision.
    Rows are asked for so many indices `ahead`, unless that is 0. All arrays are in C order.
    """
    n_lanes = len(sums) // LANES
    for step in range(0, n_lanes, MOST):
        column, n_left = step * LANES, n_lanes - step
        if n_left >= MOST:
            _add_32(sums, column, table, indices, data, first, last, ahead)
        elif n_left == 3:
            _add_24(sums, column, table, indices, data, first, last, ahead)
        elif n_left == 2:
            _add_16(sums, column, table, indices, data, first, last, ahead)
        else:
            _add_8(sums, column, table, indices, data, first, last, ahead)
    for column in range(n_lanes * LANES, len(sums)):
        for j in range(first, last):
            sums[column] += np.float64(data[j]) * table[indices[j], column]


def _adding(n_columns: int) -> Any:
    """What adds so many columns, from one on, of rows to sums."""

    def add(typingctx, sums, column, table, indices, data, first, last, ahead):  # noqa: ARG001
        if any(each.layout != "C" for each in (sums, table, indices, data)):
            raise TypingError("expected arrays in C order")
        whole = types.intp
        signature = types.void(sums, whole, table, indices, data, whole, whole, whole)
        return signature, partial(_generate, n_columns)

    return intrinsic(add)


def _generate(n_columns: int, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    sums, table, indices, data = (
        make_array(signature.args[i])(context, builder, values[i]) for i in (0, 2, 3, 4)
    )
    number = context.get_data_type(signature.args[2].dtype)
    n_bytes = context.get_abi_sizeof(number)
    rows = _Rows(builder, table, indices, data, values[1], n_columns, number, n_bytes)
    _add(builder, rows, sums, *values[5:])
    return context.get_dummy_value()


class _Rows:
    """What reads so many columns, from one on, of the rows that indices name."""

    def __init__(
        self, builder: Any, table: Any, indices: Any, data: Any,
        column: Any, n_columns: int, number: Any, n_bytes: int,
    ) -> None:  # fmt: skip
        self.builder, self.column, self.n_columns = builder, column, n_columns
        self._table, self._indices, self._data = table, indices, data
        self._number, self._n_bytes = number, n_bytes

    def products(self, j: Any) -> list[Any]:
        """Eight columns each of the row of index j, times its data."""
        builder = self.builder
        x = builder.load(builder.gep(self._data.data, [j]))
        times = _all_lanes(builder, _double(builder, x, ir.DoubleType()))
        lanes = builder.bitcast(self._row(j), ir.VectorType(self._number, LANES).as_pointer())
        places = (builder.gep(lanes, [_whole(i)]) for i in range(self.n_columns // LANES))
        loaded = (builder.load(place, align=self._n_bytes) for place in places)
        return [
            builder.fmul(times, _double(builder, each, _DOUBLES), flags=ANY_ORDER)
            for each in loaded
        ]

    def ask(self, j: Any, ahead: Any) -> None:
        """Ask for the row so many indices ahead of j, where there are as many."""
        builder = self.builder
        coming = builder.add(j, ahead)
        n_indices = builder.extract_value(self._indices.shape, 0)
        row = self._row(builder.select(builder.icmp_signed("<", coming, n_indices), coming, j))
        for line in range(0, self.n_columns * self._n_bytes, spare.LINE):
            prefetch.ask(builder, builder.gep(row, [_whole(line)]))

    def _row(self, j: Any) -> Any:
        builder = self.builder
        index = builder.load(builder.gep(self._indices.data, [j]))
        if index.type != _SIZE:
            index = builder.zext(index, _SIZE)
        offset = builder.mul(index, builder.extract_value(self._table.strides, 0))
        offset = builder.add(offset, builder.mul(self.column, _whole(self._n_bytes)))
        return builder.gep(builder.bitcast(self._table.data, _BYTES), [offset])


def _add(builder: Any, rows: _Rows, sums: Any, first: Any, last: Any, ahead: Any) -> None:
    """Add rows, `STEP` at a time and then one by one, to sums that stay in registers."""
    place = builder.bitcast(builder.gep(sums.data, [rows.column]), _DOUBLES.as_pointer())
    places = [builder.gep(place, [_whole(i)]) for i in range(rows.n_columns // LANES)]
    totals = [cgutils.alloca_once_value(builder, builder.load(p, align=8)) for p in places]

    def add(steps: list[Any]) -> None:
        products = [rows.products(j) for j in steps]
        while len(products) > 1:
            pairs = zip(products[::2], products[1::2], strict=True)
            products = [_sums(builder, one, other) for one, other in pairs]
        moved = _sums(builder, map(builder.load, totals), products[0])
        for total, each in zip(totals, moved, strict=True):
            builder.store(each, total)

    n_together = builder.and_(builder.sub(last, first), _whole(-STEP))
    middle = builder.add(first, n_together)
    with cgutils.for_range_slice(builder, first, middle, _whole(STEP), intp=_SIZE) as (j, _):
        steps = [builder.add(j, _whole(i)) for i in range(STEP)]
        with builder.if_then(builder.icmp_signed(">", ahead, _whole(0)), likely=False):
            for each in steps:
                rows.ask(each, ahead)
        add(steps)
    with cgutils.for_range_slice(builder, middle, last, _whole(1), intp=_SIZE) as (j, _):
        add([j])
    for total, each in zip(totals, places, strict=True):
        builder.store(builder.load(total), each, align=8)


def _sums(builder: Any, some: Iterable[Any], others: Iterable[Any]) -> list[Any]:
    both = zip(some, others, strict=True)
    return [builder.fadd(one, other, flags=ANY_ORDER) for one, other in both]


def _whole(number: int) -> Any:
    return ir.Constant(_SIZE, number)


def _double(builder: Any, value: Any, wide: Any) -> Any:
    return value if value.type == wide else builder.fpext(value, wide)


def _all_lanes(builder: Any, number: Any) -> Any:
    nothing = ir.Constant(_DOUBLES, ir.Undefined)
    one = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, _FIRST)


_add_8, _add_16, _add_24, _add_32 = (_adding(n * LANES) for n in range(1, MOST + 1))
