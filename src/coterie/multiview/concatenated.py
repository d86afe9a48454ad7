"""PLSA on the concatenated views (Kim et al., 2010, section 3: conc-PLSA)."""

from dataclasses import dataclass
from typing import Any

from coterie import starts
from coterie.multiview.estimator import JointEstimator
from coterie.multiview.views import Views


@dataclass(eq=False, repr=False)
class ConcPLSA(JointEstimator):
    """PLSA on the words of all views side by side, as if they were one text.

    Vectors, where there are any, are drawn from the same mixes as the words. New documents are
    folded in by the views they have.

    Parameters
    ----------
    n_clusters : int, default=10
        Number of clusters.
    init
        Start, as in `PLSA`.
    vectors, max_iter, tol, n_init, random_state
        See `ViewsEstimator`.
    vector_weight : float, optional
        How many words a vector counts for; None is the mean length of a view of words. Only
        where there are vectors.

    Attributes
    ----------
    memberships_, labels_, components_, view_components_, weights_, history_
        See `ViewsEstimator`.
    directions_, concentrations_, vector_weight_
        See `JointEstimator`.

    References
    ----------
    .. [1] Kim et al. (2010) in docs/bibliography.md.

    Examples
    --------
    >>> en = [[4, 0], [3, 0], [0, 5], [0, 3]]
    >>> de = [[0, 2], [0, 3], [4, 0], [0, 0]]
    >>> labels = ConcPLSA(2, random_state=0).fit({"en": en, "de": de}).labels_
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """

    n_clusters: int = 10
    init: Any = "random"

    def _check_parameters(self, views: Any) -> None:
        super()._check_parameters(views)
        starts.check_init(self.init)

    def _learn(self, views: Views) -> None:
        """Fit PLSA to all views at once."""
        self._fit_joint(
            views, init=self.init, n_init=self.n_init, random_state=self.random_state
        )
