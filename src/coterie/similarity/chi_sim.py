"""chi-Sim: documents and words, each as similar as the other makes them (paper 001)."""

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie import engine
from coterie.errors import InputError, check_choice
from coterie.similarity import trees
from coterie.similarity.base import Measured, SimilarityEstimator, alternate, nearest
from coterie.similarity.memory import allowed
from coterie.similarity.products import Rule, compare, own_products
from coterie.similarity.settings import candidates, scores
from coterie.types import Array, Counts, Labels

NORMS = ("l1", "pseudo")
AUTO = "auto"
MANY_WORDS = 20_000  # above, words get no tree of their own


@dataclass(eq=False, repr=False)
class ChiSim(SimilarityEstimator):
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

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters of documents.
    norm : "pseudo" or "l1", default="pseudo"
        Normalisation.
    exponent : float or "auto", default=0.8
        Exponent *k* of the pseudo-norm, any number above 0, or infinity; `norm="l1"` has 1 only.
    pruning : float or "auto", default=0.0
        Share *p* of the pairs to prune, from 0 to below 1. `"auto"`, for *k* or *p* or both, tries
        several and takes those with the steadiest and most even clusters; see
        `settings.scores`.
    max_iter : int, default=4
        Number of iterations, *t*.
    n_word_clusters : int or None, default=None
        Number of clusters of words; as many as of documents by default.
    distance, n_neighbors, memory_limit
        See `SimilarityEstimator`.

    Attributes
    ----------
    document_similarity_, word_similarity_ : ndarrays or sparse arrays, float32
        *SR* of shape (n_documents, n_documents) and *SC* of shape (n_words, n_words).
    word_labels_ : ndarray of shape (n_words,)
        Clusters of words by Ward's tree of *SC*, -1 for words of no document; where there are
        too many words for one, the document cluster each belongs to by the Bayes rule.
    word_components_, cluster_word_clusters_ : ndarrays or None
        Words of each word cluster, and shares of the counts by cluster of documents and of
        words; None where words have no tree.
    exponent_, pruning_ : float
        The exponent and the share that were used.
    search_ : ndarray of shape (n_settings, 3) or None
        What `"auto"` tried: *k*, *p* and score.
    own_similarity_ : ndarray of shape (n_documents,)
        Products of documents with themselves, by which new ones are normalised.
    tree_, labels_, memberships_, components_, weights_, history_, n_iter_
        See `SimilarityEstimator`.

    References
    ----------
    .. [1] C. Grimal, G. Bisson. Amélioration de la co-similarité pour la classification de
       documents.

    Examples
    --------
    >>> X = [[4, 2, 0, 0], [3, 3, 0, 0], [0, 0, 2, 5], [0, 0, 3, 3]]
    >>> model = ChiSim(2).fit(X)
    >>> model.labels_, model.word_labels_
    (array([0, 0, 1, 1]), array([0, 0, 1, 1]))
    """

    n_clusters: int = 10
    norm: str = "pseudo"
    exponent: Any = 0.8
    pruning: Any = 0.0
    max_iter: int = 4
    _: KW_ONLY
    n_word_clusters: int | None = None

    def _check_parameters(self, X: Counts) -> None:
        """Refuse parameters that cannot be fitted to these counts."""
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
        if self.n_word_clusters is not None:
            self._check_number("n_word_clusters", Integral, 1)

    def needed_bytes(self, n_documents: int, n_words: int) -> int:
        """Documents and words have a matrix each."""
        return self._bytes_of_both(n_documents, n_words)

    def measure(self, X: Counts) -> Measured:
        """Both matrices, `max_iter` times each from the other (section 3.3)."""
        settings = candidates(self.exponent, self.pruning)
        self.search_: Array | None = None
        if len(settings) > 1:
            return self._choose(X, settings)
        return self._measure(X, *settings[0])

    def compare(self, X: Counts) -> Array:
        """Similarities of new documents with the old through the final ones of words."""
        rule, own = self._rule(), self.own_similarity_
        old = self._scaled(self.training_counts_)
        return compare(self._scaled(X), old, self.word_similarity_, rule, own)

    def similar_words(self, word: str | int, n: int = 10) -> list[tuple[str, float]]:
        """The words most like one, given as such or by its column, with their similarities.

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
        found = np.flatnonzero(words == word) if isinstance(word, str) else [word]
        if not len(found):
            raise InputError(f"word {word!r}: not one of the {len(words)} words of the model")
        similar = nearest(self.word_similarity_, int(found[0]), n)
        return [(str(words[index]), value) for index, value in similar]

    def _measure(self, X: Counts, k: float, p: float) -> Measured:
        self.exponent_, self.pruning_ = float(k), float(p)
        return alternate(
            self._scaled(X), self._scaled(X.T.tocsr()), self._rule(), self.max_iter
        )

    def _choose(self, X: Counts, settings: list[tuple[float, float]]) -> Measured:
        """The setting of the highest score; or, when Ctrl-C ends the search, that it was at."""
        partitions = []
        for part, (k, p) in enumerate(settings):
            with fitting.part(part, len(settings) + 1):
                measured = self._measure(X, k, p)
            if measured.interrupted:
                return measured
            tree = trees.ward(measured.rows, self.distance)
            partitions.append(trees.cut(tree, self.n_clusters))
        found = scores(settings, partitions)
        self.search_ = np.column_stack([settings, found])
        with fitting.part(len(settings), len(settings) + 1):
            return self._measure(X, *settings[int(found.argmax())])

    def _rule(self) -> Rule:
        if self.norm == "l1":
            return Rule(prune=self.pruning_, keep=self.n_neighbors)
        return Rule(
            self.exponent_,
            1.0,
            self.pruning_,
            self.n_neighbors,
            largest=self.exponent_ == np.inf,
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
        """Set the fitted attributes; words have a tree of their own unless they are many."""
        super()._publish(X, measured, filled, used)
        SC, largest = self.word_similarity_, self._rule().largest
        self.own_similarity_ = own_products(self._scaled(X), SC, largest)
        self.word_components_ = self.cluster_word_clusters_ = None
        if len(used) <= MANY_WORDS and 8 * len(used) ** 2 <= allowed(self.memory_limit):
            self._cluster_words(X, measured.columns, used)

    def _cluster_words(self, X: Counts, similarity: Any, used: Labels) -> None:
        n_clusters = min(self.n_word_clusters or self.n_clusters, len(used))
        columns = np.full(X.shape[1], -1)
        columns[used] = trees.cut(trees.ward(similarity, self.distance), n_clusters)
        self.word_labels_ = columns
        members = np.zeros((n_clusters, X.shape[1]))
        members[columns[used], used] = 1
        n_w = X.sum(axis=0, dtype=np.float64)
        links = self.memberships_.astype(np.float64).T @ (X @ members.T)
        self.cluster_word_clusters_ = links / links.sum()
        self.word_components_ = members * n_w / (members @ n_w)[:, None]
