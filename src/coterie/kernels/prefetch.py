"""Rows of a table asked for before they are needed, so that memory answers in time.

A sweep reads the rows of a table of words in the order of the words of documents, which no
processor can foresee. Where the table is larger than the cache of a core, each row is waited
for, and two threads wait as long as one. Asked for some words ahead, it is there when its turn
comes. What is computed does not change.
"""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

AHEAD = 16  # non-zeros between asking for a row and using it
CACHED = 2**20  # bytes of a table that the cache of a core holds

_BYTE = ir.IntType(8).as_pointer()
_CODE = ir.IntType(32)


def distance(table, times=1):
    """How many non-zeros ahead rows of a table are asked for; 0 where it is not too large.

    A processor runs ahead by itself where what is done with a row needs no row before it; then
    asking pays only for tables so many `times` the cache.

    Examples
    --------
    >>> import numpy as np
    >>> distance(np.zeros((10, 8))), distance(np.zeros((100_000, 8)))
    (0, 16)
    """
    return AHEAD if table.nbytes > times * CACHED else 0


@intrinsic
def fetch(typingctx, table, row, column):  # noqa: ARG001
    """Ask for the line of the cache that holds an element of a table."""

    def generate(context, builder, signature, arguments):
        array = make_array(signature.args[0])(context, builder, arguments[0])
        strides = [builder.extract_value(array.strides, axis) for axis in (0, 1)]
        row, column = arguments[1:]
        offset = builder.add(builder.mul(row, strides[0]), builder.mul(column, strides[1]))
        ask(builder, builder.gep(builder.bitcast(array.data, _BYTE), [offset]))
        return context.get_dummy_value()

    return types.void(table, types.intp, types.intp), generate


def ask(builder, address):
    """Write the instruction that asks for the line of the cache at an address."""
    of_type = ir.FunctionType(ir.VoidType(), [_BYTE, _CODE, _CODE, _CODE])
    instruction = builder.module.declare_intrinsic("llvm.prefetch", [_BYTE], of_type)
    read, keep, data = 0, 3, 1
    builder.call(instruction, [address, _CODE(read), _CODE(keep), _CODE(data)])
