"""chi-Sim: documents and words, each as similar as the other makes them."""

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from coterie import fitting
from coterie.arrays import distributions, document_frequencies
from coterie.base import diagonal
from coterie.errors import InputError, check_choice
from coterie.memory import Size
from coterie.schema import Either, Field, Number, Numbers, Shares, Sizes, Sparse, Wholes
from coterie.similarity import trees
from coterie.similarity.base import (
    Measured,
    SparseSimilarityEstimator,
    alternate,
    most_similar,
)
from coterie.similarity.products import Rule, self_products, similarities_of_new_rows
from coterie.similarity.semidefinite import BYTES_PER_ENTRY
from coterie.similarity.settings import score_settings, settings_to_try
from coterie.types import Array, Counts, Labels
from coterie.weighting import WordWeights

NORMS = ("l1", "pseudo")
AUTO = "auto"
MANY_WORDS = 20_000  # above, there is no tree of words


@dataclass(eq=False, repr=False)
class ChiSim(SparseSimilarityEstimator):
    r"""Documents are alike whose words are alike, words that are in like documents.

    Similarities of documents *SR* and of words *SC* begin as identities and are computed anew
    *t* times, each from the other of the time before. With `norm="l1"` (eqs. 6a and 6b of [1]_)

    .. math::
        sr_{ij} = \frac{m_i\, SC\, m_j^T}{|m_i|\,|m_j|}, \qquad
        sc_{ij} = \frac{m_i^T\, SR\, m_j}{|m_i|\,|m_j|},

    rows on the left, columns on the right, and :math:`|\cdot|` their sums. With
    `norm="pseudo"` (eqs. 7 to 9)

    .. math::
        SR = M^{\circ k}\, SC\, (M^{\circ k})^T, \qquad
        sr_{ij} \leftarrow \sqrt[k]{sr_{ij}} \Big/ \sqrt[2k]{sr_{ii}\, sr_{jj}},

    and the same for words; *k* = infinity takes the largest product
    :math:`m_{il}\, sc_{ln}\, m_{jn}` instead of their sum. After each iteration the share *p*
    of the pairs, the least similar ones, is set to zero (section 3.2). The cosine is *k* = 1,
    *t* = 1, *p* = 0.

    With *k* = 1 and *p* = 0 both matrices are positive semi-definite. Pruning and other
    exponents can give negative eigenvalues and entries above one; see `similarity.diagnose`.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters of documents.
    norm : "pseudo" or "l1", default="pseudo"
        Normalisation.
    exponent : float or "auto", default=0.8
        Exponent *k* of the pseudo-norm, any number above 0, or infinity; `norm="l1"` takes 1
        only.
    pruning : float or "auto", default=0.0
        Share *p* of the pairs to prune, from 0 to below 1. `"auto"`, for `exponent`, `pruning`
        or both, tries several settings and takes the one with the most stable and most even
        clusters; see `settings.score_settings`.
    max_iter : int, default=4
        Number of iterations, *t*.
    n_word_clusters : int or None, default=None
        Number of clusters of words; as many as of documents by default. It must stay None
        where words have no tree: above 20 000 words, or where the tree does not fit in memory.
    semidefinite : bool, default=False
        Project both matrices on the positive semi-definite ones after each iteration (section
        3.1 of [1]_), scaled to the diagonals they had. Products of documents or words below
        zero then count as zero. It takes all similarities, so `n_neighbors` must be None, and
        time that grows as the cube of the numbers of documents and of words.
    weighted : bool, default=False
        Take the weights :math:`\log(1+n) \log((N+1)/df)` of words (`WordWeights`) for their
        counts *n*. Where words are not selected, frequent ones otherwise decide.
    distance, n_neighbors
        See `SimilarityEstimator` and `SparseSimilarityEstimator`.

    Attributes
    ----------
    document_similarity_, word_similarity_ : ndarrays or sparse arrays, float32
        *SR* of shape (n_documents, n_documents) and *SC* of shape (n_words, n_words).
    word_labels_ : ndarray of shape (n_words,)
        The row of `word_components_` each word belongs to: by Ward's tree of *SC*, -1 for words
        of no document; where words have no tree, by the Bayes rule.
    word_components_ : ndarray of shape (n_word_clusters, n_words)
        Word distribution of each cluster of words; `components_` where words have no tree.
    cluster_word_clusters_ : ndarray of shape (n_clusters, n_word_clusters)
        Shares of the word clusters in the counts of each cluster; absent where words have no
        tree.
    exponent_, pruning_ : float
        The exponent and the share that were used.
    search_ : ndarray of shape (n_settings, 3)
        What `"auto"` tried: exponent, pruning and score; absent without a search.
    self_similarity_ : ndarray of shape (n_documents,)
        Products of documents with themselves, by which new ones are normalised.
    tree_, labels_, memberships_, components_, weights_, history_, n_iter_
        See `SimilarityEstimator`.

    References
    ----------
    .. [1] Grimal and Bisson (2011) in docs/bibliography.md.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = ChiSim(2).fit(X)
    >>> model.labels_, model.word_labels_
    (array([0, 0, 1, 1]), array([0, 0, 1, 1]))
    """

    _schema: ClassVar[dict[str, Field]] = {
        **SparseSimilarityEstimator._schema,
        "word_similarity_": Either((Sparse("m m", -np.inf), Numbers("m m"))),
        "self_similarity_": Numbers("n"),
        "exponent_": Number(np.nextafter(0, 1), finite=False),
        "pruning_": Number(0, 1),
        "search_": Numbers("* 3", finite=False, optional=True),
        "cluster_word_clusters_": Shares("K L", optional=True),
        "word_components_": Shares("L m", optional=True),
        "word_labels_": Wholes("m", ("L", "K"), low=-1),
    }

    norm: str = "pseudo"
    exponent: Any = 0.8
    pruning: Any = 0.0
    max_iter: int = 4
    _: KW_ONLY
    n_word_clusters: int | None = None
    semidefinite: bool = False
    weighted: bool = False

    def _check_parameters(self, X: Counts) -> None:
        super()._check_parameters(X)
        check_choice("norm", self.norm, NORMS)
        self._check_number("max_iter", Integral, 1)
        if self.pruning != AUTO:
            self._check_number("pruning", Real, 0)
            if self.pruning >= 1:
                raise InputError(
                    f"pruning={self.pruning!r}: expected a share from 0 to below 1"
                )
        if self.exponent not in (AUTO, np.inf):
            self._check_number("exponent", Real, np.nextafter(0, 1))
        if self.norm == "l1" and self.exponent != 1:
            raise InputError(f"exponent={self.exponent!r}: expected 1 with norm='l1'")
        self._check_flags()
        if self.n_word_clusters is not None:
            self._check_number("n_word_clusters", Integral, 1)
            self._check_tree_of_words(int(np.count_nonzero(document_frequencies(X))))

    def _sizes(self) -> Sizes:
        return {"K": int(self.n_clusters)}  # word clusters are as many as words allow

    def _counts_like(self, sizes: Sizes) -> Counts:
        return diagonal(sizes["n"], 1)  # whether memory takes a tree of words is of no account

    def _check_flags(self) -> None:
        for name in ("semidefinite", "weighted"):
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise InputError(f"{name}={value!r}: expected True or False")
        if self.semidefinite and self.n_neighbors is not None:
            raise InputError(
                f"n_neighbors={self.n_neighbors}: expected None with semidefinite=True, which "
                "takes all similarities"
            )

    def _check_tree_of_words(self, n_words: int) -> None:
        if not self._has_tree_of_words(n_words):
            raise InputError(
                f"n_word_clusters={self.n_word_clusters}: {n_words:,} words are too many for "
                f"clusters of words; set n_word_clusters=None, or choose fewer words"
            )

    def _has_tree_of_words(self, n_words: int) -> bool:
        """Not where they are many, or where their tree does not fit in memory."""
        fits = trees.BYTES_PER_PAIR * n_words**2 <= fitting.allowed_bytes()
        return n_words <= MANY_WORDS and fits

    def _leaner(self) -> Iterator[tuple[str, Self]]:
        if self.semidefinite:
            yield "semidefinite=False", self._changed(semidefinite=False)
        else:
            yield from super()._leaner()

    def _needed_bytes(self, size: Size) -> int:
        """Documents and words have a matrix each, and trees; a projection copies the larger."""
        n, m = size.n_documents, size.n_words
        both = self._matrix_bytes(n) + self._matrix_bytes(m)
        needed = self._bytes_of_both(size)
        if self._has_tree_of_words(m):
            both_trees = trees.BYTES_PER_PAIR * (n * n + m * m) // 2
            among_all = 0 if size.is_full else self._matrix_bytes(m)
            needed = max(needed, 3 * size.data + both + both_trees + among_all)
        if not self.semidefinite:
            return needed
        projecting = 2 * both + BYTES_PER_ENTRY * max(n, m) ** 2
        return max(needed, 3 * size.data + projecting)

    def _fit(self, X: Counts) -> None:
        for name in ("search_", "word_components_", "cluster_word_clusters_"):
            self.__dict__.pop(name, None)  # an earlier fit may have had them
        super()._fit(X)

    def _measure(self, X: Counts) -> Measured:
        """Both matrices, `max_iter` times each from the other (section 3.3)."""
        X = self._weights(X, X)
        settings = settings_to_try(self.exponent, self.pruning)
        if len(settings) > 1:
            return self._measure_best(X, settings)
        return self._measure_with(X, *settings[0])

    def _similarities_of_new(self, X: Counts) -> Array:
        """Similarities of new documents with the old through the final ones of words."""
        fitted = self.training_counts_
        return similarities_of_new_rows(
            self._scaled(self._weights(X, fitted)),
            self._scaled(self._weights(fitted, fitted)),
            self.word_similarity_,
            self._rule(),
            self.self_similarity_,
        )

    def similar_words(self, word: str | int, n: int = 10) -> list[tuple[str, float]]:
        """The words most like one, a word or the number of its column, with similarities.

        Examples
        --------
        >>> from coterie import Corpus, TextOptions
        >>> texts = ["sea waves", "waves sea", "ocean waves", "bread and butter"]
        >>> corpus = Corpus.from_texts(texts, options=TextOptions(language="en"))
        >>> [word for word, _ in ChiSim(2, exponent=1).fit(corpus).similar_words("sea", 2)]
        ['waves', 'ocean']
        """
        words = getattr(self.vocabulary_, "words", getattr(self, "feature_names_in_", None))
        if words is None:
            words = np.arange(self.n_features_in_).astype(str)
        columns = np.flatnonzero(words == word) if isinstance(word, str) else [word]
        if not len(columns):
            raise InputError(f"word {word!r}: not one of the {len(words)} words of the model")
        similar = most_similar(self.word_similarity_, int(columns[0]), n)
        return [(str(words[index]), value) for index, value in similar]

    def _weights(self, X: Counts, fitted: Counts) -> Counts:
        """Weights of words by the documents of the fit where they are wanted, else counts."""
        if not self.weighted:
            return X
        weights: Counts = (
            WordWeights(scale=1, least_length=0, min_df=1).fit(fitted).transform(X)
        )
        return weights

    def _measure_with(self, X: Counts, exponent: float, pruning: float) -> Measured:
        self.exponent_, self.pruning_ = float(exponent), float(pruning)
        return alternate(
            self._scaled(X), self._scaled(X.T.tocsr()), self._rule(), self.max_iter
        )

    def _measure_best(self, X: Counts, settings: list[tuple[float, float]]) -> Measured:
        """By the setting of the highest score; after a stop, by the one tried last."""
        partitions: list[Labels] = []
        n_parts = len(settings) + 1
        for number, setting in enumerate(settings):
            with fitting.part(number, n_parts, "trying settings"):
                measured = self._measure_with(X, *setting)
            if not fitting.stopped():
                tree = trees.ward(measured.rows, self.distance)
                partitions.append(trees.cut(tree, self.n_clusters))
            if fitting.stopped():
                return measured
        scores = score_settings(settings, partitions)
        self.search_ = np.column_stack([settings, scores])
        with fitting.part(len(settings), n_parts, "fitting the best setting"):
            return self._measure_with(X, *settings[int(scores.argmax())])

    def _rule(self) -> Rule:
        if self.norm == "l1":
            return Rule(
                prune=self.pruning_,
                n_neighbors=self.n_neighbors,
                semidefinite=self.semidefinite,
            )
        return Rule(
            self.exponent_,
            1.0,
            self.pruning_,
            self.n_neighbors,
            largest=self.exponent_ == np.inf,
            semidefinite=self.semidefinite,
        )

    def _scaled(self, M: Counts) -> Counts:
        """Rows that sum to one, or with one for their largest number, to the power of *k*.

        The pseudo-norm does not see how rows are scaled; powers of ones stay in range.
        """
        totals = M.sum(axis=1) if self.norm == "l1" else M.max(axis=1).toarray()
        data = M.data / np.repeat(totals, np.diff(M.indptr)).astype(np.float64)
        if self.exponent_ not in (1, np.inf):
            data **= self.exponent_
        return sp.csr_array((data.astype(np.float32), M.indices, M.indptr), shape=M.shape)

    def _publish(self, X: Counts, measured: Measured, filled: Labels, used: Labels) -> None:
        """Set the fitted attributes; words have a tree unless they are many."""
        super()._publish(X, measured, filled, used)
        SC, largest = self.word_similarity_, self._rule().largest
        rows = self._scaled(self._weights(X, X))
        self.self_similarity_ = self_products(rows, SC, largest)
        for tree in measured.trees[1:]:
            self._cluster_words(X, tree, used)

    def _cluster_words(self, X: Counts, tree: Array, used: Labels) -> None:
        """Clusters of words by a tree, and their shares in the clusters of documents."""
        n_clusters = min(self.n_word_clusters or self.n_clusters, len(used))
        labels = np.full(X.shape[1], -1)
        labels[used] = trees.cut(tree, n_clusters)
        self.word_labels_ = labels
        members = np.zeros((n_clusters, X.shape[1]))
        members[labels[used], used] = 1
        counts = self.memberships_.astype(np.float64).T @ (X @ members.T)
        self.cluster_word_clusters_ = distributions(counts)
        self.word_components_ = distributions(members * X.sum(axis=0, dtype=np.float64))

    def _words_follow_clusters(self) -> bool:
        return not hasattr(self, "cluster_word_clusters_")
