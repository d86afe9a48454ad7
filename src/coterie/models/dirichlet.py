"""Latent Dirichlet co-clustering (Shafiei and Milios, 2006), which Wang compares with."""

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import gammaln

from coterie import engine, starts
from coterie.base import WORD_CLUSTERS, Clusterer, seeds_from
from coterie.corpus import Corpus, corpus_of_texts, is_texts
from coterie.corpus.segments import check_segments, segment_counts
from coterie.errors import InputError
from coterie.kernels import gibbs, pad
from coterie.kernels.dense import one_blas_thread
from coterie.memory import Size
from coterie.models.topics import EVEN_SHARE, FOLD_IN_ITERATIONS, FOLD_IN_TOLERANCE
from coterie.schema import Field, Wholes
from coterie.types import Array, Counts, Labels, Ops

MOST_TOKENS = 2**31 - 1
BURN_IN = 0.5  # share of the sweeps that no mean is taken over
Table = npt.NDArray[np.int32]


@dataclass(eq=False, repr=False)
class LDCC(Clusterer):
    r"""Documents mix document topics by segments, document topics mix word topics.

    Derived here from its generative story. Document *d* has a mixture of K document topics,
    drawn from :math:`Dir(\alpha)`; each of its segments (paragraphs, sentences) draws one of
    them, *y*. Document topic *t* has a mixture of L word topics, from :math:`Dir(\beta)`; each
    word of a segment draws a word topic *z* from that of the segment's *y*. Word topic *k* has
    a distribution over the m words, from :math:`Dir(\gamma)`, from which the word is drawn.

    With mixtures and distributions integrated out, and :math:`n_{dt}` the segments of *d* in
    *t*, :math:`n_{tk}` the words in *t* and *k*, :math:`n_{kw}` the occurrences of *w* in *k*,
    and a dot for a sum,

    .. math::
        p(w, z, y) = \prod_d \frac{\Gamma(K\alpha)}{\Gamma(n_{d\cdot} + K\alpha)}
                     \prod_t \frac{\Gamma(n_{dt} + \alpha)}{\Gamma(\alpha)}
              \cdot  \prod_t \frac{\Gamma(L\beta)}{\Gamma(n_{t\cdot} + L\beta)}
                     \prod_k \frac{\Gamma(n_{tk} + \beta)}{\Gamma(\beta)}
              \cdot  \prod_k \frac{\Gamma(m\gamma)}{\Gamma(n_{k\cdot} + m\gamma)}
                     \prod_w \frac{\Gamma(n_{kw} + \gamma)}{\Gamma(\gamma)}.

    Ratios of it give what each sweep draws from, the counts being without what is drawn: for
    one word, and for a segment of *n* words, :math:`c_k` of them in word topic *k*,

    .. math::
        p(z = k \mid \ldots) &\propto (n_{yk} + \beta)\,
            \frac{n_{kw} + \gamma}{n_{k\cdot} + m\gamma}, \\
        p(y = t \mid \ldots) &\propto (n_{dt} + \alpha)\,
            \frac{\prod_k (n_{tk} + \beta) \cdots (n_{tk} + \beta + c_k - 1)}
                 {(n_{t\cdot} + L\beta) \cdots (n_{t\cdot} + L\beta + n - 1)}.

    What is published are means over the second half of the sweeps. New
    documents are folded in as in `PLSA`, p(w | t) being held fixed.

    Parameters
    ----------
    n_clusters, n_word_clusters : int, default=10, 20
        Number of document topics, K, and of word topics, L.
    cluster_prior, word_cluster_prior, word_prior : float, default=1.0, 1.0, 0.1
        Dirichlet priors of the documents' mixtures, of the document topics' and of words.
    max_iter : int, default=300
        Number of sweeps; all are made.
    segments : "paragraph", "sentence", int or None, default="paragraph"
        What the texts of a Corpus are cut into: see `segment_counts`. None takes whole
        documents. Where counts are given, `documents` tells `fit` whose segments rows are.
    init : "kmeans", "random", "dirichlet", Dirichlet or array, default="kmeans"
        Start as in `PLSA`: segments in document topics drawn from the memberships of their
        documents, most of their words in word topics that this document topic alone has.
        From a random start, word topics being random too, a chain takes much longer to settle.
    n_init : int, default=1
        Number of chains; the one whose second half has the highest mean of `history_` is kept.
    random_state : int, RandomState or None, default=None
        Seed of the chains.

    Attributes
    ----------
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Expected share of each document topic in the segments of each document.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        :math:`p(z \mid y)`.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        :math:`p(w \mid z)`.
    components_ : ndarray of shape (n_clusters, n_words)
        :math:`p(w \mid y) = \sum_z p(z \mid y)\, p(w \mid z)`.
    word_labels_ : ndarray of shape (n_words,)
        The word topic of each word, by the Bayes rule.
    segment_labels_ : ndarray of shape (n_segments,)
        The likeliest document topic of each segment; an empty one has that of its document.
    history_ : ndarray of shape (n_iter_,)
        :math:`\log p(w, z, y)` after each sweep.
    labels_, weights_, n_iter_, converged_, interrupted_, vocabulary_
        See `EMEstimator`; a chain counts as converged when it ran to its end.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = LDCC(2, 2, random_state=0).fit(X, documents=[0, 0, 1, 2])
    >>> bool(model.labels_[0] != model.labels_[1] == model.labels_[2])
    True
    >>> model.memberships_.shape, model.cluster_word_clusters_.shape
    ((3, 2), (2, 2))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **Clusterer._schema,
        **WORD_CLUSTERS,
        "segment_labels_": Wholes("*", ("K",)),
    }

    n_clusters: int = 10
    n_word_clusters: int = 20
    cluster_prior: float = 1.0
    word_cluster_prior: float = 1.0
    word_prior: float = 0.1
    max_iter: int = 300
    segments: str | int | None = "paragraph"
    init: Any = "kmeans"
    _: KW_ONLY
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def fit(self, X: Any, y: None = None, *, documents: Any = None) -> Self:  # noqa: ARG002
        """Fit the model to a Corpus, or to counts with a segment a row.

        `documents` says which document each row is a segment of, counting from 0 without a
        gap; if not given, every row is a document.
        """
        if is_texts(X):
            X = corpus_of_texts(X)
        corpus = X if isinstance(X, Corpus) else None
        if corpus is not None and documents is None:
            X, documents = self._cut(corpus)
        counts = self._read(X)
        if corpus is not None:
            self.vocabulary_ = corpus.vocabulary
        _refuse_fractions(counts)
        self._data = _Segments(counts, _checked_documents(documents, counts.shape[0]))
        try:
            return self._fit_to(self._data.by_document @ counts)
        finally:
            del self._data

    def _size(self, X: Any) -> Size:
        """Documents are the segments, which have topics of their own."""
        return super()._size(self._data.X if hasattr(self, "_data") else X)

    def _needed_bytes(self, size: Size) -> int:
        """Topics of segments and words of topics: now, sums, means and tables."""
        n, m, K, L = size.n_documents, size.n_words, self.n_clusters, self.n_word_clusters
        segments, words = size.doubles(n, K), size.doubles(m, L)
        tables = 4 * (n * K + m * L)
        tokens = 20 * size.n_tokens + 2 * size.data
        adding = 4 * segments + 4 * words
        means = 5 * segments + 2 * words + size.doubles(m, K) + size.numbers(m, K + L)
        return size.data + tables + tokens + max(adding, means)

    def _fit(self, X: Counts) -> None:  # noqa: ARG002
        best = self._sample(self._data)
        self.history_ = np.array(best.trace)
        self.n_iter_ = len(best.trace)
        self.converged_ = True
        self._publish_means(self._data, best)

    def _order_clusters(self, order: Labels) -> None:
        super()._order_clusters(order)
        segments: Labels = vars(self)["segment_labels_"]
        self.segment_labels_ = np.argsort(order)[segments]

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        super()._check_parameters(X)
        starts.check_init(self.init)
        for name in ("n_word_clusters", "max_iter", "n_init"):
            self._check_number(name, Integral, 1)
        for name in ("cluster_prior", "word_cluster_prior", "word_prior"):
            self._check_number(name, Real, 0)
            if getattr(self, name) == 0:
                raise InputError(f"{name}=0: expected a finite number above zero")
        if self.segments is not None:
            check_segments(self.segments)

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Fold documents in: their mixes under fixed document topics."""
        phi, size = pad(self.components_.T), len(self.components_)
        X = X.astype(phi.dtype, copy=False)
        theta, log_likelihood = ops.fold_in(X, phi, size, FOLD_IN_ITERATIONS, FOLD_IN_TOLERANCE)
        return theta[:, :size], log_likelihood

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True  # as checks of scikit-learn call whole numbers
        return tags

    def _cut(self, corpus: Corpus) -> tuple[Any, Any]:
        """Counts of the segments and their documents; the corpus itself if it has no texts."""
        if self.segments is None:
            return corpus, None
        check_segments(self.segments)
        try:
            return segment_counts(corpus, self.segments)
        except InputError as error:
            message = f"each document is taken as one segment ({error})"
            warnings.warn(message, UserWarning, stacklevel=3)
            return corpus, None

    def _sample(self, data: "_Segments") -> "_Chain":
        """The best chain."""
        seeds = iter(seeds_from(self.random_state, self.n_init))
        chains: list[_Chain] = []

        def step() -> float:
            if not chains or len(chains[-1].trace) == self.max_iter:
                next_one = self._chain(data, np.random.default_rng(next(seeds)))
                chains[:] = [*_best(chains), next_one]
            return chains[-1].step()

        engine.chain(step, self.n_init * self.max_iter)
        return _best(chains)[0]

    def _chain(self, data: "_Segments", rng: np.random.Generator) -> "_Chain":
        """A chain at its start."""
        mixes = self._start_mixes(data.by_document @ data.X, rng)
        ends = mixes.cumsum(axis=1)[data.documents, :-1]
        y = (rng.random((len(data.documents), 1)) >= ends).sum(axis=1)
        z = self._start_z(np.repeat(y, np.diff(data.first)), rng)
        return _Chain(
            data,
            y.astype(np.int32),
            z.astype(np.int32),
            (self.n_clusters, self.n_word_clusters),
            (float(self.cluster_prior), float(self.word_cluster_prior), float(self.word_prior)),
            rng.integers(2**64, size=1, dtype=np.uint64),
            int(BURN_IN * self.max_iter),
        )

    def _starts_at_random(self) -> bool:
        return isinstance(self.init, str) and self.init == "random"

    def _start_mixes(self, X: Counts, rng: np.random.Generator) -> Array:
        """Mixes of the documents to begin from."""
        if self._starts_at_random():
            return starts.dirichlet(X.shape[0], self.n_clusters, 1.0, rng)
        q = starts.memberships(self.init, X, self.n_clusters, rng)
        return (1 - EVEN_SHARE) * q + EVEN_SHARE / self.n_clusters

    def _start_z(self, y: Labels, rng: np.random.Generator) -> Labels:
        """Word topics at random; if the start knows something, mostly such as only y has."""
        z = rng.integers(self.n_word_clusters, size=len(y))
        if self._starts_at_random():
            return z
        first = y % self.n_word_clusters
        n_own = -(-(self.n_word_clusters - first) // self.n_clusters)
        own = first + self.n_clusters * (z % n_own)
        return np.where(rng.random(len(y)) < EVEN_SHARE, z, own)

    def _publish_means(self, data: "_Segments", chain: "_Chain") -> None:
        """Set the fitted attributes from the means of a chain."""
        dtype = data.X.dtype
        by_segment, links, words = chain.means()
        lengths = np.diff(data.first)
        by_segment[lengths == 0] = 0
        shares = _normalized(data.by_document @ by_segment)
        self.memberships_ = shares.astype(dtype)
        by_segment[lengths == 0] = shares[data.documents[lengths == 0]]
        self.segment_labels_ = by_segment.argmax(axis=1)
        self.weights_ = lengths @ by_segment / lengths.sum()
        self.cluster_word_clusters_ = links.astype(dtype)
        self.word_components_ = words.T.astype(dtype, order="C")
        with one_blas_thread():
            self.components_ = (links @ words.T).astype(dtype)
        self.word_labels_ = (words * (self.weights_ @ links)).argmax(axis=1)


class Tables(NamedTuple):
    """How often the topics of a chain meet: what its draws and its probability depend on."""

    segments_of_document: Table
    words_of_topic: Table
    words_of_topics: Table
    occurrences: Table
    words_of_word_topics: Table

    def log_joint(self, alpha: float, beta: float, gamma: float) -> float:
        """The logarithm of p(w, z, y)."""
        n_dt, n_tk, _, n_wk, _ = self
        return _log_joint(n_dt, alpha) + _log_joint(n_tk, beta) + _log_joint(n_wk.T, gamma)


def _log_joint(counts: Table, prior: float) -> float:
    """Log-probability of draws counted in rows, each from its own Dirichlet-multinomial."""
    totals = counts.sum(axis=1, dtype=np.int64)
    whole = _log_rising(totals, counts.shape[1] * prior)
    return _log_rising(counts, prior) - whole


def _log_rising(counts: Table, x: float) -> float:
    """Sum of log Γ(x + n) - log Γ(x) over counts n, of which large tables hold many alike."""
    if counts.max() < counts.size:
        times = np.bincount(counts.ravel())
        return float(times @ (gammaln(np.arange(len(times)) + x) - gammaln(x)))
    return float((gammaln(counts + x) - gammaln(x)).sum())


class _Segments:
    """Rows of counts as runs of words, with the document of each."""

    def __init__(self, X: Counts, documents: Labels) -> None:
        self.X, self.documents = X, documents
        counts = X.data.astype(np.int64)
        self.words = np.repeat(X.indices, counts)
        self.first = np.concatenate([[0], counts.cumsum()])[X.indptr]
        shape = (documents.max() + 1, len(documents))
        places = (documents.astype(np.int32), np.arange(len(documents), dtype=np.int32))
        self.by_document = csr_array((np.ones(len(documents), X.dtype), places), shape=shape)


class _Chain:
    """The state of a sampler, and what its sweeps add up to."""

    def __init__(
        self,
        data: _Segments,
        y: Table,
        z: Table,
        shape: tuple[int, int],
        priors: tuple[float, float, float],
        state: npt.NDArray[np.uint64],
        burn_in: int,
    ) -> None:
        self.segments = data.first, data.documents, y
        self.tokens = data.words, z
        self.tables = _tables(data, y, z, shape)
        self.priors, self.state, self.burn_in = priors, state, burn_in
        self.posterior = np.eye(shape[0])[y]
        self.trace: list[float] = []
        self.sums: list[Array] = []

    def step(self) -> float:
        """One sweep; the log-probability of where it leads."""
        gibbs.ldcc_sweep(
            self.segments, self.tokens, self.tables, self.priors, self.posterior, self.state
        )
        self.trace.append(self.tables.log_joint(*self.priors))
        if len(self.trace) > self.burn_in:
            now = self._now()
            self.sums = list(map(np.add, self.sums, now)) or now
        return self.trace[-1]

    def level(self) -> float:
        """How probable the chain is, once burnt in or as far as it came."""
        tail = self.trace[self.burn_in :] or self.trace[-1:]
        return float(np.mean(tail)) if tail else -np.inf

    def means(self) -> tuple[Array, Array, Array]:
        """Document topics of segments, word topics of these, words of word topics."""
        by_segment, links, words = self.sums or self._now()
        return _normalized(by_segment), _normalized(links), _normalized(words.T).T

    def _now(self) -> list[Array]:
        _, beta, gamma = self.priors
        _, n_tk, n_t, n_wk, n_k = self.tables
        links = (n_tk + beta) / (n_t[:, None] + n_tk.shape[1] * beta)
        words = (n_wk + gamma) / (n_k + len(n_wk) * gamma)
        return [self.posterior.copy(), links, words]


def _tables(data: _Segments, y: Table, z: Table, shape: tuple[int, int]) -> Tables:
    lengths = np.diff(data.first)
    some = lengths > 0
    n_documents, n_words = data.by_document.shape[0], data.X.shape[1]
    n_dt = _table(data.documents[some], y[some], (n_documents, shape[0]))
    n_tk = _table(np.repeat(y, lengths), z, shape)
    n_wk = _table(data.words, z, (n_words, shape[1]))
    return Tables(n_dt, n_tk, _total(n_tk, 1), n_wk, _total(n_wk, 0))


def _table(rows: Any, columns: Any, shape: tuple[int, int]) -> Table:
    cells = np.ravel_multi_index((rows, columns), shape)
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int32)


def _total(table: Table, axis: int) -> Table:
    total: Table = table.sum(axis=axis, dtype=np.int32)
    return total


def _best(chains: list[_Chain]) -> list[_Chain]:
    return [max(chains, key=_Chain.level)] if chains else []


def _normalized(rows: Array) -> Array:
    """Rows as distributions; a row of zeros becomes uniform."""
    totals = rows.sum(axis=1, keepdims=True)
    uniform = np.full_like(rows, 1 / rows.shape[1])
    shares: Array = np.divide(rows, totals, out=uniform, where=totals > 0)
    return shares


def _refuse_fractions(X: Counts) -> None:
    wrong = np.flatnonzero(X.data != np.floor(X.data))
    if len(wrong):
        row = np.searchsorted(X.indptr, wrong[0], side="right") - 1
        raise InputError(
            f"row {row}, column {X.indices[wrong[0]]} holds {X.data[wrong[0]]}: "
            "LDCC draws words one by one and expects whole numbers"
        )
    if X.sum(dtype=np.float64) > MOST_TOKENS:
        raise InputError(f"the counts sum to {X.sum():.4g}, expected at most {MOST_TOKENS}")


def _checked_documents(documents: Any, n_segments: int) -> Labels:
    if documents is None:
        return np.arange(n_segments)
    numbers = np.asarray(documents)
    if numbers.shape != (n_segments,) or not np.issubdtype(numbers.dtype, np.integer):
        raise InputError(
            f"documents: expected {n_segments} whole numbers, one a row; "
            f"got {numbers.dtype} of shape {numbers.shape}"
        )
    missing = np.setdiff1d(np.arange(min(numbers.max() + 1, n_segments)), numbers)
    if numbers.min() < 0 or numbers.max() >= n_segments or len(missing):
        gap = f", none is of {missing[0]}" if len(missing) else ""
        raise InputError(
            f"documents: rows are of documents {numbers.min()} to {numbers.max()}{gap}; "
            "expected every number from 0 on, an empty row for an empty document"
        )
    return numbers.astype(np.int64)
