"""A GPU played by NumPy: arrays that do not mix with those of NumPy, and passes in plain loops.

What the kernels of `gpu.cu` do, in the same order of arguments: each lane group a document or a
segment, and only the numbers that a launch may touch are touched.
"""

import numpy as np

from coterie.kernels.gpu import GpuKernels


class DeviceArray(np.ndarray):
    """An array of the GPU: NumPy's functions take it beside its like and numbers only."""

    __cuda_array_interface__: dict = {}  # noqa: RUF012

    def get(self):
        return self.view(np.ndarray).copy()

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if method == "__call__" and "where" in kwargs:
            raise TypeError("CuPy's functions have no `where`")
        for each in (*inputs, *(out or ()), *(v for v in kwargs.values() if is_host(v))):
            refuse_host(each)
        plain = {k: bare(v) for k, v in kwargs.items()}
        if out is not None:
            plain["out"] = tuple(bare(each) for each in out)
        result = getattr(ufunc, method)(*map(bare, inputs), **plain)
        return out[0] if out is not None else on_device(result)

    def __array_function__(self, function, types, args, kwargs):
        if any(each is not DeviceArray for each in types):
            raise TypeError(f"{function.__name__} of arrays of NumPy and of the GPU together")
        args, kwargs = bare(args), bare(kwargs)
        return on_device(function(*args, **kwargs))


def is_host(value):
    return isinstance(value, np.ndarray) and not isinstance(value, DeviceArray) and value.ndim


def refuse_host(value):
    if is_host(value):
        raise TypeError("an array of NumPy where one of the GPU is expected")


def bare(value):
    if isinstance(value, DeviceArray):
        return value.view(np.ndarray)
    if isinstance(value, list | tuple):
        return type(value)(bare(each) for each in value)
    return {k: bare(v) for k, v in value.items()} if isinstance(value, dict) else value


def on_device(value):
    if isinstance(value, tuple):
        return tuple(on_device(each) for each in value)
    return value.view(DeviceArray) if isinstance(value, np.ndarray) else value


class FakeCupy:
    """The functions of NumPy, giving arrays of the GPU and taking no others."""

    def __getattr__(self, name):
        found = getattr(np, name)
        if isinstance(found, type) or not callable(found):
            return found

        def call(*args, **kwargs):
            if name not in ("asarray", "ascontiguousarray"):
                for each in (*args, *kwargs.values()):
                    for one in each if isinstance(each, list | tuple) else [each]:
                        refuse_host(one)
            return on_device(found(*bare(args), **bare(kwargs)))

        return call


class EmulatedDevice:
    """Runs the kernels by name; `free` is the memory it says it has."""

    def __init__(self, free=2**40):
        self.xp, self.free, self.launched = FakeCupy(), free, []

    def free_bytes(self):
        return self.free

    def release(self):
        self.launched.append("release")

    def launch(self, name, shape, grid, block, *arguments):
        if 0 in grid:
            return
        for each in arguments:
            assert np.ndim(each) == 0 or isinstance(each, DeviceArray), name
            assert np.ndim(each) != 0 or isinstance(each, np.generic), name
        self.launched.append(name)
        KERNELS[name.removeprefix("long_")](shape, grid, block, *bare(arguments))


def kernels(half=False, **options):
    return GpuKernels(EmulatedDevice(**options), half=half)


def document_pass(
    shape, grid, block, n, order, indptr, indices, data, places, theta, phi, ratios, new, logs
):
    scale = 2.0**15 if shape.table == "float16" else 1
    assert n == len(order)
    for d in order:
        mix = theta[d].astype(shape.real)
        gained, total = np.zeros_like(mix), 0.0
        for j in range(indptr[d], indptr[d + 1]):
            values = phi[indices[j]].astype(shape.real)
            p = (mix * values).sum()
            ratio = data[j] / p if p > 0 else shape.real.type(0)
            gained += ratio * values
            ratios[places[j]] = ratio
            with np.errstate(divide="ignore"):
                total += float(data[j]) * np.log(p)
        product = mix * gained
        new[d] = product / product.sum() * scale if product.sum() > 0 else mix
        logs[d] = total


def word_pass(
    shape, grid, block, n, starts, lengths, words, targets, documents, weights, table, out,
    partials,
):  # fmt: skip
    assert n == len(starts) == len(lengths) == len(words) == len(targets)
    written = set()
    for start, length, word, target in zip(starts, lengths, words, targets, strict=True):
        total = np.zeros(shape.width, shape.real)
        for j in range(start, start + length):
            total += weights[j] * table[documents[j]].astype(shape.real)
        assert (word, target) not in written, "two writers of one row in a launch"
        written.add((word, target))
        if target < 0:
            out[word] += total
        else:
            partials[target] = total


def add_partials(shape, grid, block, words, firsts, counts, partials, out):
    for word, first, count in zip(words, firsts, counts, strict=True):
        out[word] += partials[first : first + count].sum(axis=0)


def halve(shape, grid, block, n, table, totals, out, logs):
    for row in range(n):
        largest = table[row].max()
        factor = np.float32(2.0**15) / (largest if largest > 0 else np.float32(1))
        out[row] = table[row] * factor
        logs[row] = -totals[row] * np.log(float(factor) * 2.0**15) if totals[row] > 0 else 0.0


def fold_pass(
    shape,
    grid,
    block,
    n,
    order,
    indptr,
    indices,
    data,
    phi,
    n_topics,
    max_iter,
    tol,
    theta,
    logs,
):
    for d in order[:n]:
        mix = np.zeros(shape.width, phi.dtype)
        mix[:n_topics] = 1 / n_topics
        inside = slice(indptr[d], indptr[d + 1])
        values, counts = phi[indices[inside]], data[inside]
        for _ in range(max_iter):
            p = values @ mix
            gained = np.divide(counts, p, out=np.zeros_like(p), where=p > 0) @ values
            product = mix * gained
            new = product / product.sum() if product.sum() > 0 else mix
            moved, mix = np.abs(new - mix).max(), new
            if moved <= tol:
                break
        theta[d] = mix
        with np.errstate(divide="ignore"):
            logs[d] = counts.astype(float) @ np.log(values @ mix)


def posterior_pass(
    shape, grid, block, n, order, indptr, indices, data, log_alpha, log_beta, hard, posterior,
    objective,
):  # fmt: skip
    for d in order[:n]:
        joint = log_alpha.copy()
        for j in range(indptr[d], indptr[d + 1]):
            joint += float(data[j]) * log_beta[indices[j]].astype(float)
        top = joint.max()
        odds = np.exp(joint - top) if not hard else (np.arange(len(joint)) == joint.argmax())
        is_empty = indptr[d] == indptr[d + 1]
        posterior[d] = 0 if is_empty else odds / odds.sum()
        objective[d] = 0 if is_empty else top + np.log(odds.sum())


def column_sums(shape, grid, block, n_rows, width, table, sums):
    n_parts = grid[1]
    for part in range(n_parts):
        rows = [r for r in range(n_rows) if r // 8 % n_parts == part]
        sums[part] = table[rows].sum(axis=0, dtype=float)


def divide_columns(shape, grid, block, n, n_rows, width, n_columns, sums, table):
    assert n == n_rows * width
    for column in range(width):
        if sums[column]:
            table[:, column] = table[:, column] / sums[column]
        elif column < n_columns:
            table[:, column] = 1 / n_rows


def multiply(shape, grid, block, first, width, indptr, indices, data, dense, largest, out):
    for i in range(grid[0]):
        inside = slice(indptr[first + i], indptr[first + i + 1])
        terms = data[inside, None] * dense[indices[inside]]
        out[i] = terms.max(axis=0, initial=0) if largest else terms.sum(axis=0)


def mix_topics(shape, grid, block, n, n_clusters, n_topics, table, weights, out):
    assert n == out.size
    out[:] = np.einsum("wab,ab->wa", table, weights)


def sum_words(shape, grid, block, n_words, n_clusters, n_topics, table, weights, sums):
    for part in range(grid[1]):
        rows = slice(part, n_words, grid[1])
        total = np.einsum("wab,wa->ab", table[rows], weights[rows], dtype=float)
        sums[part] = total.ravel()


KERNELS = {
    each.__name__: each
    for each in (
        document_pass, word_pass, add_partials, fold_pass, posterior_pass, column_sums, halve,
        divide_columns, multiply, mix_topics, sum_words,
    )
}  # fmt: skip
