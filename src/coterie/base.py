"""What estimators share: input, the course of a fit, new documents, scikit-learn's contract."""

import hashlib
import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import KW_ONLY, dataclass, is_dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    clone,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie import engine, evaluation, executors, fitting, schema
from coterie.arrays import row_shares, row_sums
from coterie.corpus import (
    Corpus,
    Vocabulary,
    corpus_of_texts,
    is_texts,
    refuse_positions_outside,
    refuse_strings,
)
from coterie.corpus.inputs import checked_texts
from coterie.errors import InputError, InterruptedWarning
from coterie.memory import Size, TooLargeError, largest
from coterie.schema import (
    Distributions,
    Field,
    Is,
    Items,
    Number,
    Numbers,
    Objects,
    Shares,
    Values,
    Whole,
    Wholes,
)
from coterie.types import Array, Counts, Labels, Ops

CHECKED_BLOCK = 1 << 22  # numbers that are checked together
WORD_CLUSTERS: dict[str, Field] = {  # where words have clusters of their own
    "word_components_": Shares("L m"),
    "cluster_word_clusters_": Shares("K L"),
    "word_labels_": Wholes("m", ("L",), low=-1),
}


class TakesCounts(BaseEstimator):
    """What takes texts, a Corpus or counts, a row a document, and checks them.

    A class declares what its fitted attributes are as `_schema`, by which a saved one is
    checked.
    """

    vocabulary_: Any = None
    _schema: ClassVar[dict[str, Field]] = {
        "n_features_in_": Whole(1, "m"),
        "feature_names_in_": Objects("m", optional=True),
        "vocabulary_": Is(Vocabulary, "m", optional=True),
    }

    def _sizes(self) -> schema.Sizes:
        """The sizes of the fitted attributes that parameters say."""
        names = {"K": "n_clusters", "L": "n_word_clusters"}
        values = {size: getattr(self, name, None) for size, name in names.items()}
        return {
            size: int(value) for size, value in values.items() if isinstance(value, Integral)
        }

    def _check_fitted(self, sizes: schema.Sizes) -> None:
        """Refuse fitted attributes and parameters that do not go together."""

    def _read(self, X: Any) -> Counts:
        """Counts to fit to; how their words were counted is remembered as `vocabulary_`."""
        if is_texts(X):
            X = corpus_of_texts(X)
        counts = self._check_counts(X, reset=True)
        self.__dict__.pop("vocabulary_", None)  # of an earlier fit
        if isinstance(X, Corpus):
            self.vocabulary_ = X.vocabulary
        return counts

    def _read_new(self, X: Any) -> Counts:
        """Counts of new documents, by the words of the fit."""
        check_is_fitted(self)
        return self._check_counts(self._count(X) if is_texts(X) else X, reset=False)

    def _count(self, texts: Any) -> Any:
        if getattr(self, "vocabulary_", None) is None:
            raise InputError(
                f"X: texts, but {type(self).__name__} was fitted to a matrix of counts; pass "
                "counts with the same columns, or fit it to texts"
            )
        return self.vocabulary_.count(checked_texts(texts))

    def _check_number(self, name: str, kind: Any, least: float) -> None:
        value = getattr(self, name)
        number = isinstance(value, kind) and not isinstance(value, bool)
        if not number or not least <= value < np.inf:
            sort = "a whole number" if kind is Integral else "a finite number"
            raise InputError(f"{name}={value!r}: expected {sort} of at least {least}")

    def _check_counts(self, X: Any, *, reset: bool) -> Counts:
        if isinstance(X, Corpus):
            if not reset:
                self._refuse_other_vocabulary(X)
            X = X.counts
        refuse_strings(X)
        refuse_positions_outside(X)
        X = validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr",
            accept_large_sparse=True,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        X = sp.csr_array(X)
        self._refuse_bad_counts(X)
        if not X.has_canonical_format or not np.all(X.data):
            X = X.copy()
            X.sum_duplicates()
            X.eliminate_zeros()
        if X.indices.dtype != np.int32 and max(X.nnz, X.shape[1]) < 2**31:
            indices = X.indices.astype(np.int32), X.indptr.astype(np.int32)
            X = sp.csr_array((X.data, *indices), shape=X.shape)
        return X

    def _size(self, X: Any) -> Size:
        """The size of what is fitted, by which memory is reckoned."""
        return Size.of(X, executors.current().n_threads)

    def _needed_bytes(self, size: Size) -> int:
        """Bytes of the data and of all that a fit adds: by default, some copies of the data."""
        return 3 * size.data

    def _check_memory(self, X: Any) -> None:
        """Refuse what needs more memory than is allowed, before any is taken."""
        size = self._size(X)
        needed = self._needed_bytes(size)
        if fitting.is_too_large(needed):
            allowed = fitting.allowed_bytes()
            what = f"{type(self).__name__} of {self._described(size)}"
            raise TooLargeError(what, size, needed, allowed, self._ways(size, allowed))

    def _described(self, size: Size) -> str:
        return f"{size.n_documents:,} documents and {size.n_words:,} words"

    def _ways(self, size: Size, allowed: int) -> list[str]:
        """What would fit in the memory that is allowed."""
        n = largest(
            lambda n: self._needed_bytes(size.sample(n)) <= allowed, size.n_documents - 1
        )
        leaner = [way for way, other in self._leaner() if other._needed_bytes(size) <= allowed]
        return [*leaner, f"a sample of {n:,} documents"] if n > 1 else leaner

    def _leaner(self) -> Iterator[tuple[str, Self]]:
        """The same with other parameters, which may need less memory, and their names."""
        yield from ()

    def _refuse_other_vocabulary(self, corpus: Corpus) -> None:
        words = getattr(self.vocabulary_, "words", None)
        if words is not None and not np.array_equal(words, corpus.words):
            raise InputError(
                f"the corpus has other words than the {len(words)} the model was fitted to; "
                "count its texts with model.vocabulary_.count"
            )

    def _refuse_bad_counts(self, X: Counts) -> None:
        name = type(self).__name__
        for bad, complaint in (
            (np.isnan, f"Input X contains NaN, which {name} does not accept"),
            (np.isinf, f"Input X contains infinity, which {name} does not accept"),
            (np.signbit, f"Negative values in data passed to {name}"),
        ):
            wrong = _first_wrong(X.data, bad)
            if wrong is not None:
                row = np.searchsorted(X.indptr, wrong, side="right") - 1
                position = f"row {row}, column {X.indices[wrong]}"
                raise InputError(
                    f"{complaint}: {position} holds {X.data[wrong]}, "
                    "expected counts of zero or more"
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        return tags


def _first_wrong(values: Array, is_bad: Callable[[Array], Any]) -> int | None:
    """Position of the first number that is bad and not zero, looked for in blocks."""
    for start in range(0, len(values), CHECKED_BLOCK):
        block = values[start : start + CHECKED_BLOCK]
        wrong = np.flatnonzero(is_bad(block) & (block != 0))
        if len(wrong):
            return start + int(wrong[0])
    return None


class _SameAsComponents:
    """`components_`, where a model sets no `word_components_` of its own."""

    def __get__(self, fitted: Any, owner: Any = None) -> Any:
        return self if fitted is None else fitted.components_


class Clusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, TakesCounts):
    """Base of all clusterers of documents: the course of a fit, and new documents.

    A subclass writes `_fit`, which sets its fitted attributes, and `_assign` for new documents.
    When a fit ends, the documents fitted are assigned as new ones would be, and clusters are
    ordered by size, largest first: `predict(X)` equals `labels_` and `transform(X)` equals
    `memberships_` on the documents of the fit.
    """

    _schema: ClassVar[dict[str, Field]] = {
        **TakesCounts._schema,
        "labels_": Wholes("n", ("K",)),
        "memberships_": Distributions("n K"),
        "components_": Distributions("K m"),
        "weights_": Distributions("K"),
        "word_labels_": Wholes("m", ("K",), low=-1),
        "history_": Numbers("*", finite=False),
        "n_iter_": Whole(),
        "converged_": Is(bool),
        "interrupted_": Is(bool, optional=True),  # a model inside another has none
        "n_clusters_curve_": Values(Items(Number(finite=False)), optional=True),  # of `-k auto`
        "n_clusters_offered_": Values(Items(Number(finite=False)), optional=True),
    }
    labels_: Labels
    word_labels_: Labels
    word_components_: Any = _SameAsComponents()
    _sample_weight: Any = None

    def fit(self, X: Any, y: None = None) -> Self:  # noqa: ARG002
        """Fit to texts, a Corpus, or counts of words (sparse or dense), a row a document."""
        return self._fit_to(self._read(X))

    def _fit_to(self, X: Counts, fit: Callable[[Counts], None] | None = None) -> Self:
        """The course of every fit, on checked counts; `fit` is `_fit` unless given."""
        self._check_parameters(X)
        self._check_memory(X)
        with fitting.session() as session, fitting.checking_resumed(self):
            (fit or self._fit)(X)
            self._order_words_by_size()
            self._order_by_size()
            for _ in range(self.memberships_.shape[1]):
                self._assign_fitted(X)
                if not self._order_by_size():
                    break
            self.interrupted_ = session.stopped
        warn_of_the_end(self)
        return self

    @property
    def _most_clusters(self) -> int:
        """The number of clusters, or the largest there may be."""
        return int(self.n_clusters)

    def _with_clusters(self, n_clusters: int) -> Self:
        """The same with another number of clusters."""
        other = copy(self)
        other.n_clusters = n_clusters
        return other

    def _described(self, size: Size) -> str:
        return f"{super()._described(size)} into {self._most_clusters:,} clusters"

    def _ways(self, size: Size, allowed: int) -> list[str]:
        """Fewer clusters, other parameters, or a sample."""
        n_clusters = largest(
            lambda k: self._with_clusters(k)._needed_bytes(size) <= allowed,
            self._most_clusters - 1,
        )
        fewer = [f"{n_clusters:,} clusters"] if n_clusters > 1 else []
        return fewer + super()._ways(size, allowed)

    def _fit(self, X: Counts) -> None:
        """Learn from checked counts: set the fitted attributes, `memberships_` among them."""
        raise NotImplementedError

    def _assign(self, X: Counts, ops: Ops) -> tuple[Array, Array]:
        """Memberships of new documents in the fitted clusters, and their log-likelihoods."""
        raise NotImplementedError

    def _assign_fitted(self, X: Counts) -> None:
        """Memberships of the documents fitted are those they would get as new ones."""
        self.memberships_, _ = self._assign_all(X)
        self.labels_ = self.memberships_.argmax(axis=1)

    def _order_by_size(self) -> bool:
        """Put the largest cluster first, and tell whether it was not.

        Documents that belong to all clusters alike, as those without words, are counted in
        none, and then go to the first.
        """
        self.labels_ = self.memberships_.argmax(axis=1)
        decided = np.ptp(self.memberships_, axis=1) > 0
        weights = None if self._sample_weight is None else self._sample_weight[decided]
        sizes = np.bincount(self.labels_[decided], weights, self.memberships_.shape[1])
        in_order = bool(np.all(np.diff(sizes) <= 0))
        if not in_order:
            self._order_clusters(np.argsort(-sizes, kind="stable"))
        return not in_order

    def _order_clusters(self, order: Labels) -> None:
        """Put clusters in another order in all fitted attributes."""
        rank = np.argsort(order)
        for name, axis in schema.axes_of(self._schema, "K").items():
            value = getattr(self, name, None)
            if value is not None:
                setattr(self, name, np.ascontiguousarray(np.take(value, order, axis=axis)))
        self.labels_ = self.memberships_.argmax(axis=1)  # of equal memberships, the first
        if hasattr(self, "word_labels_") and self._words_follow_clusters():
            known = self.word_labels_ >= 0
            self.word_labels_ = np.where(known, rank[self.word_labels_], -1)

    def _order_words_by_size(self) -> None:
        """Put the largest cluster of words first, where words have clusters of their own."""
        if "word_components_" not in vars(self):
            return
        known = self.word_labels_ >= 0
        sizes = np.bincount(self.word_labels_[known], minlength=len(self.word_components_))
        if np.any(np.diff(sizes) > 0):
            self._order_word_clusters(np.argsort(-sizes, kind="stable"))

    def _order_word_clusters(self, order: Labels) -> None:
        """Put clusters of words in another order in all fitted attributes."""
        for name, axis in schema.axes_of(self._schema, "L").items():
            if name in vars(self):
                value = np.take(getattr(self, name), order, axis=axis)
                setattr(self, name, np.ascontiguousarray(value))
        known = self.word_labels_ >= 0
        self.word_labels_ = np.where(known, np.argsort(order)[self.word_labels_], -1)

    def _words_follow_clusters(self) -> bool:
        """Whether `word_labels_` are clusters of documents, there being none of words alone."""
        return not hasattr(self, "n_word_clusters")

    @property
    def word_memberships_(self) -> Array:
        """Probability of each cluster of words for each word, by the Bayes rule.

        Words by clusters of words; a row of zeros for a word of none.
        """
        return row_shares((self.word_components_ * self._word_cluster_shares()[:, None]).T)

    def _word_cluster_shares(self) -> Array:
        """How much each cluster of words is used."""
        shares: Array = self.weights_
        if hasattr(self, "cluster_word_clusters_"):
            shares = shares @ self.cluster_word_clusters_
        return shares

    def predict(self, X: Any) -> Labels:
        """The most probable cluster of each document."""
        labels: Labels = self.predict_proba(X).argmax(axis=1)
        return labels

    def predict_proba(self, X: Any) -> Array:
        """Membership of each document in each cluster, each document on its own."""
        return self._assign_all(self._read_new(X))[0]

    def transform(self, X: Any) -> Array:
        """Same as `predict_proba`: documents described by their clusters."""
        return self.predict_proba(X)

    def fit_transform(self, X: Any, y: None = None, **fit_params: Any) -> Array:
        """Fit, and return `memberships_`: what `transform` gives of the same documents."""
        return self.fit(X, y, **fit_params).memberships_

    def log_likelihood(self, X: Any) -> float:
        """Sum of log p(document), without the multinomial coefficient."""
        return float(self._assign_all(self._read_new(X))[1].sum())

    def score(self, X: Any, y: None = None) -> float:  # noqa: ARG002
        """Log-likelihood per word of documents, for which higher is better."""
        total, n_words = self._likelihood_and_length(X)
        return total / n_words

    def perplexity(self, X: Any) -> float:
        """Perplexity per word: exp of minus the mean log-likelihood of a word."""
        return evaluation.perplexity(*self._likelihood_and_length(X))

    def _likelihood_and_length(self, X: Any) -> tuple[float, float]:
        X = self._read_new(X)
        if not X.nnz:
            raise InputError(f"no counts: all {X.shape[0]} documents are empty")
        return float(self._assign_all(X)[1].sum()), float(X.sum(dtype=np.float64))

    def _assign_all(self, X: Counts) -> tuple[Array, Array]:
        """Memberships and log-likelihoods of checked counts, shard by shard."""
        results = engine.each_shard(self._assign, X, executors.current())
        memberships, log_likelihood = zip(*results, strict=True)
        return np.concatenate(memberships), np.concatenate(log_likelihood)

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
        self._check_number("n_clusters", Integral, 1)
        n_documents = X.shape[0]
        if self.n_clusters > n_documents:
            raise InputError(
                f"n_clusters={self.n_clusters}: larger than the number of documents "
                f"(n_samples={n_documents})"
            )
        if not X.nnz:
            raise InputError(f"no counts: all {n_documents} documents are empty")

    def _check_fitted(self, sizes: schema.Sizes) -> None:
        """Refuse parameters that no fit of these sizes takes."""
        self._check_parameters(self._counts_like(sizes))

    def _counts_like(self, sizes: schema.Sizes) -> Counts:
        """Counts of the sizes of those of the fit, no document and no word without any."""
        return diagonal(sizes["n"], sizes["m"])

    def _identity(self, X: Counts) -> dict[str, Any]:
        """What tells this fit from another; the seeds are the checkpoint's own."""
        parameters = {
            name: _plain(value)
            for name, value in self.get_params().items()
            if not isinstance(value, np.random.RandomState)
        }
        return {
            "model": type(self).__name__,
            "parameters": parameters,
            "data": [*X.shape, str(X.dtype), digest(X.indptr, X.indices, X.data)],
            "weights": None if self._sample_weight is None else digest(self._sample_weight),
        }

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.classifier_tags = ClassifierTags()  # for checks of predict_proba: many clusters
        return tags


@dataclass(eq=False, repr=False)
class EMEstimator(Clusterer):
    """Base of all models fitted by the one loop of `coterie.engine`.

    A subclass writes the mathematics: `_start`, `_e_step`, `_m_step` (and `_log_prior`) for the
    loop, `_publish` for what people read, `_assign` for new documents.

    Parameters
    ----------
    max_iter : int, default=200
        Most iterations of a restart.
    tol : float, default=1e-5
        Relative gain of the objective at which a restart stops.
    n_init : int, default=1
        Number of restarts, each with its own seed; the one with the best objective is kept.
    random_state : int, RandomState or None, default=None
        Seed of the restarts. The same seed gives the same bits on any number of threads.

    Attributes
    ----------
    labels_ : ndarray of shape (n_documents,)
        The most probable cluster of each document; clusters are ordered by size, largest first.
    memberships_ : ndarray of shape (n_documents, n_clusters)
        Share or probability of each cluster in each document.
    components_ : ndarray of shape (n_clusters, n_words)
        Word distribution of each cluster.
    weights_ : ndarray of shape (n_clusters,)
        Share of each cluster in the collection.
    word_labels_ : ndarray of shape (n_words,)
        The row of `word_components_` each word belongs to, by the Bayes rule.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        Word distribution of each cluster of words; `components_` where a model has no
        clusters of words alone.
    history_ : ndarray of shape (n_iter_,)
        Objective at the start of each iteration of the best restart.
    n_iter_ : int
        Number of iterations of that restart.
    converged_ : bool
        Whether it stopped by `tol`.
    interrupted_ : bool
        Whether Ctrl-C ended the fit early, with the best result so far.
    vocabulary_ : Vocabulary or None
        How to count the words of new texts, where the model was fitted to texts or a Corpus.
    """

    _: KW_ONLY
    max_iter: int = 200
    tol: float = 1e-5
    n_init: int = 1
    random_state: int | np.random.RandomState | None = None

    def _fit(self, X: Counts) -> None:
        model = clone(self)  # parameters only: nothing an earlier fit left can be read
        model._sample_weight = self._sample_weight
        run = engine.fit(
            model,
            X,
            executors.current(),
            seeds_from(self.random_state, self.n_init),
            engine.Stopping(self.max_iter, self.tol),
            lambda: self._identity(X),
        )
        self.history_ = np.array(run.history)
        self.n_iter_ = len(run.history)
        self.converged_ = run.converged
        self._publish(X, run.rows, run.shared)

    def _needed_bytes(self, size: Size) -> int:
        """The data, the best restart so far, and what its largest stage holds besides.

        Where documents are too few for shards, restarts run side by side.
        """
        n_together = min(self.n_init, size.n_threads) if size.n_shards == 1 else 1
        n_kept = self.n_init - 1 if size.n_shards == 1 else min(self.n_init - 1, 1)
        largest_stage = max(self._stage_bytes(size).values())
        return size.data + n_together * largest_stage + n_kept * self._kept_bytes(size)

    def _stage_bytes(self, size: Size) -> dict[str, int]:
        """What each stage of a restart holds: rows and tables of words, some of each.

        A subclass that holds more says so.
        """
        rows = size.padded(size.n_documents, self.n_clusters)
        words = size.padded(size.n_words, self.n_clusters)
        return {"iterations": 4 * rows + (size.at_work + 3 + size.n_sums) * words}

    def _kept_bytes(self, size: Size) -> int:
        """Rows and tables of a restart that has ended."""
        rows = size.padded(size.n_documents, self.n_clusters)
        return rows + size.padded(size.n_words, self.n_clusters)

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        self._check_number("max_iter", Integral, 1)
        self._check_number("n_init", Integral, 1)
        self._check_number("tol", Real, 0)

    def _start(self, X: Counts, rng: np.random.Generator) -> tuple[Array, engine.Shared]:
        """Rows and shared parameters to begin from."""
        raise NotImplementedError

    def _visible(self, shared: engine.Shared) -> engine.Shared:
        """By default, E-steps see all shared parameters."""
        return shared

    def _e_step(self, X: Counts, rows: Any, shared: Any, ops: Ops) -> engine.Expected:
        """Expectation on one shard."""
        raise NotImplementedError

    def _m_step(self, shared: engine.Shared, *statistics: Array) -> engine.Shared:
        """Shared parameters from the statistics of all shards."""
        raise NotImplementedError

    def _log_prior(self, shared: engine.Shared) -> float:  # noqa: ARG002
        """By default, shared parameters have a flat prior."""
        return 0.0

    _moves_rows: ClassVar[bool] = False

    def _distributions(self, shared: engine.Shared) -> tuple[Array, ...] | None:  # noqa: ARG002
        """By default, EM is not accelerated."""
        return None

    def _from_distributions(self, *columns: Array) -> engine.Shared:
        """Shared parameters from columns that may not sum to one."""
        raise NotImplementedError

    def _runs_on_gpu(self) -> bool:
        """By default, models compute with NumPy."""
        return False

    def _publish(self, X: Counts, rows: Array, shared: engine.Shared) -> None:
        """Set the fitted attributes from the parameters of the best run."""
        raise NotImplementedError


class TakesSampleWeight(EMEstimator):
    """A model that takes weights of documents: one of weight two counts as two copies."""

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Fit to texts, a Corpus, or counts of words (sparse or dense), a row a document.

        `sample_weight` has a number of zero or more for each document: one of weight two
        counts as two copies of it, one of weight zero takes no part.
        """
        counts = self._read(X)
        weights = _checked_weights(sample_weight, counts.shape[0])
        if weights is None:
            return self._fit_to(counts)
        self._sample_weight = weights  # for the time of the fit
        try:
            return self._fit_to(counts)
        finally:
            del self._sample_weight


def _checked_weights(weights: Any, n_documents: int) -> Array | None:
    if weights is None:
        return None
    checked: Array = np.asarray(weights, dtype=np.float64)
    if checked.shape != (n_documents,):
        raise InputError(
            f"sample_weight: shape {checked.shape}, expected one number a document, "
            f"({n_documents},)"
        )
    if not np.all(np.isfinite(checked)) or checked.min() < 0 or not checked.any():
        raise InputError("sample_weight: expected finite numbers of zero or more, not all zero")
    return checked


def warn_of_the_end(fitted: Any) -> None:
    """Warn where a fit ended before its end: by Ctrl-C, or by `max_iter`."""
    if fitted.interrupted_:
        message = "stopped by Ctrl-C; the best result so far is kept"
        warnings.warn(message, InterruptedWarning, stacklevel=4)
    elif not fitted.converged_:
        message = f"{type(fitted).__name__} did not converge in max_iter={fitted.max_iter}"
        advice = "raise it or tol" if hasattr(fitted, "tol") else "raise it"
        warnings.warn(f"{message}; {advice}", ConvergenceWarning, stacklevel=4)


def seeds_from(random_state: Any, n: int) -> list[int]:
    """As many seeds, from a `random_state` as scikit-learn understands it."""
    drawn = check_random_state(random_state).randint(2**31, size=n)
    return [int(seed) for seed in drawn]


def words_by_cluster(X: Counts, memberships: Array, components: Array) -> Labels:
    """The cluster each word belongs to by the Bayes rule, clusters weighing by their words."""
    words = row_sums(X) @ memberships.astype(np.float64)
    labels: Labels = (components * words[:, None]).argmax(axis=0)
    return labels


def diagonal(n_documents: int, n_words: int) -> Counts:
    """Counts in which every document has a word and every word is in a document.

    Examples
    --------
    >>> diagonal(3, 2).toarray()
    array([[1., 0.],
           [0., 1.],
           [1., 0.]])
    """
    steps = np.arange(max(n_documents, n_words))
    places = steps % n_documents, steps % n_words
    return Counts((np.ones(len(steps)), places), shape=(n_documents, n_words))


def log_likelihood_of_mixes(X: Counts, memberships: Array, components: Array) -> Array:
    """Log-likelihood of each document under the mix of word distributions it is."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    p = np.einsum("ik,ki->i", memberships[rows], components[:, X.indices])
    with np.errstate(divide="ignore"):
        terms = X.data * np.log(p)
    log_likelihood: Array = np.bincount(rows, terms, X.shape[0]).astype(np.float64)
    return log_likelihood


def bytes_of_mixes(size: Size, n_clusters: int, itemsize: int, n_at_work: int = 1) -> int:
    """What `log_likelihood_of_mixes` holds of the shards at work: two numbers a count.

    Memberships have `itemsize` bytes; they and words are laid out for every count.
    """
    n_nonzero = -(-size.n_nonzero * n_at_work // size.n_shards)
    return n_nonzero * (n_clusters * (itemsize + size.itemsize) + 16)


def digest(*arrays: Any) -> str:
    """A short checksum of arrays."""
    content = hashlib.sha256()
    for array in arrays:
        content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()[:16]


def _plain(value: Any) -> Any:
    """A parameter as a checkpoint compares it."""
    if isinstance(value, str | int | float | None):
        return value
    return repr(value) if is_dataclass(value) else digest(value)
