"""Words that come from a background which all clusters share, and those that do not."""

from coterie.kernels.compiled import njit


@njit(nogil=True)
def take_background(n_wk, phi, gamma, background, taken):
    """Leave clusters their own words of some, and set `taken` to those of the background."""
    own, shared = n_wk.dtype.type(1 - background), n_wk.dtype.type(background)
    for w in range(n_wk.shape[0]):
        total, of_background = 0.0, shared * gamma[w, 0]
        for k in range(n_wk.shape[1]):
            of_cluster = own * phi[w, k]
            both = of_cluster + of_background
            left = n_wk[w, k] * of_cluster / both if both > 0 else n_wk.dtype.type(0)
            total += n_wk[w, k] - left
            n_wk[w, k] = left
        taken[w, 0] = total


@njit(nogil=True)
def add_background(phi, gamma, background, beta):
    """Set `beta` to words of clusters and of the background together."""
    own, shared = phi.dtype.type(1 - background), phi.dtype.type(background)
    for w in range(phi.shape[0]):
        of_background = shared * gamma[w, 0]
        for k in range(phi.shape[1]):
            beta[w, k] = own * phi[w, k] + of_background
