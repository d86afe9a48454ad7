"""Online EM (Cappé and Moulines, 2009): documents come in batches and are not kept.

A batch gives its expected statistics, each as shares of their sum. Those of the whole stream
are a running average with steps of (t + delay) to the power of minus decay, and the M-step
makes parameters of it after every batch. Row parameters belong to the documents of one batch:
they are folded in and forgotten. Memory does not grow with the stream.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from coterie import engine, executors, fitting
from coterie.base import EMEstimator, seeds_from
from coterie.engine import Expected, Shard, Shared
from coterie.errors import InputError
from coterie.kernels import LANES
from coterie.types import Array, Counts, Ops

FIRST_DOCUMENTS = 2000  # of the first batch of a whole fit, or more
FIRST_STEPS = 30  # EM iterations on the first batch, for a start worth averaging
REFINED = 5  # steps on each batch, each in place of the one before
UNSEEN = 1e-2  # of a mean word's share, for words that no batch has had yet
SMALLEST_BATCH, MOST_BATCHES, PER_CLUSTER = 200, 100, 10


@dataclass
class _Stream:
    """What is known of all batches so far."""

    shared: Shared
    shares: tuple[Array, ...]
    totals: tuple[float, ...]
    n_steps: int = 1
    latest: tuple[Array, ...] = ()
    """Statistics of the latest batch."""


class OnlineEM(EMEstimator):
    """A model that learns from batches of documents, by `partial_fit` or `fit_online`."""

    step_delay: ClassVar[float] = 1.0
    r"""The delay :math:`t_0` of the step sizes :math:`(t + t_0)^{-\kappa}` of online EM."""
    step_decay: ClassVar[float] = 0.55
    r"""Their exponent :math:`\kappa`, above 1/2 and at most 1."""

    _stream: Any = None
    _spread: ClassVar[float] = 0.0
    """Share of the step size by which a word's count goes to all clusters, see `_maximised`."""

    def partial_fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Learn from one more batch of documents, which are not kept.

        `labels_` and `memberships_` are those of the batch; clusters keep their numbers from
        batch to batch. The first batch is the start and decides, where it is texts, which words
        are counted: some thousand documents make a good one. A model that was fitted goes on
        from there.

        Examples
        --------
        >>> import coterie
        >>> X = np.array([[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]])
        >>> model = coterie.PLSA(2, 1.1, random_state=0).partial_fit(X).partial_fit(X[:2])
        >>> model.labels_[0] == model.labels_[1] != model.predict(X[2:])[0]
        np.True_
        """
        is_first = not hasattr(self, "components_")
        counts = self._read(X) if is_first else self._read_new(X)
        if is_first:
            self._check_parameters(counts)
        with fitting.session():
            if self._stream is None:
                self._stream = self._begun(counts) if is_first else self._continued()
            objective = self._take(self._stream, counts)
            self._publish_stream(counts)
        self.history_ = np.append(getattr(self, "history_", []), objective)
        self.n_iter_, self.converged_ = self._stream.n_steps, False
        return self

    def fit_online(self, X: Any, *, n_passes: int = 3, batch_size: int | None = None) -> Self:
        """Fit by passes over batches in random order, which converges in fewer than `fit`.

        A batch has `batch_size` documents (default: a hundredth of all, at least 200 and 10 a
        cluster); the first has more, for a good start. In the end, statistics are averaged over
        the last pass. `n_init`, `max_iter` and `tol` play no part. The fit is otherwise as that
        of `fit`: the largest cluster is first, and all documents are assigned in the end.
        """
        counts = self._read(X)
        for name, value in (("n_passes", n_passes), ("batch_size", batch_size)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise InputError(f"{name}={value!r}: expected a whole number of at least 1")
        usual = max(SMALLEST_BATCH, PER_CLUSTER * self.n_clusters)
        size = batch_size or max(usual, counts.shape[0] // MOST_BATCHES)
        return self._fit_to(counts, partial(self._fit_online, n_passes=n_passes, size=size))

    def _fit_online(self, X: Counts, n_passes: int, size: int) -> None:
        (seed,) = seeds_from(self.random_state, 1)
        rng = np.random.default_rng(seed)
        passes = [
            _batches(X.shape[0], size, rng, first=not number) for number in range(n_passes)
        ]
        n_batches, history = sum(map(len, passes)), []
        stream: _Stream | None = None
        for number, batches in enumerate(passes):
            whole = _Mean()
            for rows in batches:
                batch = X[np.sort(rows)]
                stream = stream or self._begun(batch, rng)
                history.append(self._take(stream, batch, is_new=number == 0))
                whole.add(stream.latest, len(rows))
                fitting.report(len(history), n_batches, history[-1], len(history) / n_batches)
                if fitting.stopped():
                    break
        assert stream is not None
        stream.shares = whole.finish()
        stream.shared = self._maximised(stream)
        self.history_, self.n_iter_ = np.array(history), len(history)
        self.converged_ = not fitting.stopped()
        self._publish(X, self._rows_of(X, stream.shared), stream.shared)

    def _begun(self, X: Counts, rng: np.random.Generator | None = None) -> _Stream:
        """A stream that begins with a batch: some EM iterations on it alone."""
        if rng is None:
            (seed,) = seeds_from(self.random_state, 1)
            rng = np.random.default_rng(seed)
        rows, shared = self._start(X, rng)
        start, stopping = engine.Run(lambda: rows, shared), engine.Stopping(FIRST_STEPS, 0.0)
        *_, run = engine.iterate(self._worker(), engine.shards(X), start, _place(), stopping)
        sent = _place().send([Shard(piece, None) for piece in engine.shards(X)])
        take = partial(_first_step, self._worker())
        _, statistics, _ = _place().sweep(take, sent, self._visible(run.shared))
        shares, totals = _shares(statistics)
        return _Stream(run.shared, shares, (0.0,) * len(totals), n_steps=0)

    def _continued(self) -> _Stream:
        """A stream that goes on from fitted parameters, which count as one step."""
        shared, statistics = self._fitted_stream()
        shares, _ = _shares(statistics)
        n = float(len(getattr(self, "labels_", ())) or 1)
        return _Stream(shared, shares, (n,) * len(shares))

    def _take(self, stream: _Stream, X: Counts, *, is_new: bool = True) -> float:
        """One step: the batch's statistics into the average, parameters of the average.

        Documents that are not new do not make the collection larger.

        Gives the log-likelihood of the batch under the parameters before the step.
        """
        stream.n_steps += 1
        step = (stream.n_steps + self.step_delay) ** -self.step_decay
        step = 1.0 if stream.n_steps == 1 else step
        before, objectives = stream.shares, []
        executor, worker = _place(), self._worker()
        sent = executor.send([Shard(piece, None) for piece in engine.shards(X)])
        for number in range(REFINED):
            take = partial(engine.sweep_shard if number else _first_step, worker)
            sent, statistics, objective = executor.sweep(
                take, sent, self._visible(stream.shared)
            )
            objectives.append(float(objective))
            stream.latest, totals = _shares(statistics)
            if is_new and not number:
                stream.totals = tuple(a + b for a, b in zip(stream.totals, totals, strict=True))
            stream.shares = tuple(
                (1 - step) * old + step * new
                for old, new in zip(before, stream.latest, strict=True)
            )
            stream.shared = self._maximised(stream, self._spread * step)
        return objectives[0]

    def _maximised(self, stream: _Stream, spread: float = 0.0) -> Shared:
        """The M-step on the statistics of a collection of all documents seen.

        Of each word's count, a share of `spread` goes to all clusters by their size. Where
        E-steps multiply by a probability, as those of mixes do, a cluster would else lose a
        word for good before it has seen enough.
        """
        expected = [
            (share * total).astype(share.dtype)
            for share, total in zip(stream.shares, stream.totals, strict=True)
        ]
        words = expected[-1][:, : self.n_clusters]
        by_cluster = words.sum(axis=0, dtype=np.float64)
        words *= 1 - spread
        words += (spread * words.sum(axis=1))[:, None] * (by_cluster / by_cluster.sum())
        unseen = ~words.any(axis=1)
        words[unseen] = UNSEEN * by_cluster / len(words)
        return self._m_step(self._before_step(stream.shared, words), *expected)

    def _before_step(self, shared: Shared, words: Array) -> Shared:  # noqa: ARG002
        """Shared parameters that an M-step on such words by cluster may begin from."""
        return shared

    def _rows_of(self, X: Counts, shared: Shared) -> Array:
        """Rows of documents under fixed parameters."""
        visible, worker = self._visible(shared), self._worker()
        parts = engine.each_shard(
            lambda piece, ops: worker._folded(piece, visible, ops), X, executors.current()
        )
        return np.concatenate(parts)

    def _worker(self) -> Self:
        """The parameters alone, for wherever batches are computed."""
        return type(self)(**self.get_params(deep=False))

    def _publish_stream(self, X: Counts) -> None:
        """Parameters of the stream; documents are those of the batch."""
        stream = self._stream
        self._publish(X, self._rows_of(X, stream.shared), stream.shared)
        self._assign_fitted(X)
        words = stream.shares[-1][:, : self.n_clusters]
        if self._words_follow_clusters():
            self.word_labels_ = words.argmax(axis=1)
        self.interrupted_ = False

    def _folded(self, X: Counts, shared: Shared, ops: Ops) -> Array:
        """Rows of new documents, for the time of one batch."""
        raise NotImplementedError

    def _fitted_stream(self) -> tuple[Shared, tuple[Array, ...]]:
        """Shared parameters of a fitted model, and the statistics that they stand for."""
        raise NotImplementedError

    def _fit_to(self, X: Counts, fit: Any = None) -> Self:
        self._stream = None  # a fit forgets what came before
        return super()._fit_to(X, fit)


def _first_step(model: Any, shard: Shard, shared: Shared, ops: Ops) -> tuple[Shard, Any]:
    """The first E-step of a batch, whose rows are folded in."""
    rows = model._folded(shard.X, shared, ops)
    expected: Expected = model._e_step(shard.X, rows, shared, ops)
    return Shard(shard.X, expected.rows), (expected.statistics, expected.objective)


def _place() -> Any:
    """Where batches are computed: as fits are, but not on a GPU, as they are too small."""
    executor = executors.current()
    return getattr(executor, "threads", executor)


class _Mean:
    """The mean of statistics of batches, weighted by their documents."""

    def __init__(self) -> None:
        self._sums: list[Array] = []
        self._weight = 0.0
        self._dtypes: list[Any] = []

    def add(self, shares: tuple[Array, ...], weight: float) -> None:
        if not self._sums:
            self._sums = [np.zeros(each.shape) for each in shares]
            self._dtypes = [each.dtype for each in shares]
        for total, share in zip(self._sums, shares, strict=True):
            total += weight * share
        self._weight += weight

    def finish(self) -> tuple[Array, ...]:
        pairs = zip(self._sums, self._dtypes, strict=True)
        return tuple((total / self._weight).astype(dtype) for total, dtype in pairs)


def _batches(n: int, size: int, rng: np.random.Generator, *, first: bool) -> list[Any]:
    """Rows in random order in equal batches; of the first pass, the first is larger."""
    n_first = min(n, max(FIRST_DOCUMENTS, size)) if first else 0
    n_batches = max((n - n_first) // size, 1)
    cuts = np.linspace(n_first, n, n_batches + 1).astype(int)
    return [rows for rows in np.split(rng.permutation(n), cuts[:-1]) if len(rows)]


def _shares(statistics: Shared) -> tuple[tuple[Array, ...], tuple[float, ...]]:
    """Statistics as shares of their sums, and the sums."""
    totals = tuple(float(each.sum(dtype=np.float64)) for each in statistics)
    shares = tuple(
        (each / (total or 1.0)).astype(each.dtype)
        for each, total in zip(statistics, totals, strict=True)
    )
    return shares, totals


def empty_rows(X: Counts, n_clusters: int) -> Array:
    """Rows for E-steps that do not look at them, padded as kernels have them."""
    return np.zeros((X.shape[0], -(-n_clusters // LANES) * LANES), X.dtype)
