"""A fit on the workers of a cluster gives the bits of threads."""

import numpy as np

import coterie


def main() -> None:
    from distributed import Client, LocalCluster

    counts = np.random.default_rng(0).poisson(1.0, (40, 15))
    here = coterie.PLSA(3, random_state=0, max_iter=5).fit(counts)
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        coterie.run_on("dask", client),
    ):
        there = coterie.PLSA(3, random_state=0, max_iter=5).fit(counts)
    assert np.array_equal(here.components_, there.components_)


if __name__ == "__main__":
    main()
