"""Experiment: the choices that the commute-time kernel leaves open."""

import time

import numpy as np

from coterie.similarity import CTK
from coterie.similarity.commute import commute_time_kernel, connected_parts
from coterie.types import Array, Counts
from coterie_papers.cells import Cell, Scores
from coterie_papers.clustering import complete
from coterie_papers.collections.samples import SAMPLES
from coterie_papers.grimal.samples import WARD, as_asked, load, scores_of

STEEPNESS = (1.0, 3.0, 5.0, 7.0, 10.0)
HALF, ONE_MINUS = "1/2 between parts", "Ward on 1 - s"


class HalfBetweenParts(CTK):
    """Documents of different parts of the graph have 0 in the pseudo-inverse, so s = 1/2."""

    def _kernel(self, X: Counts) -> tuple[Array, float]:
        kernel = commute_time_kernel(X, *connected_parts(X))
        similarity = 1 / (1 + np.exp(-self.steepness * kernel / kernel.std()))
        return similarity.astype(np.float32), float(similarity.mean())


def sweep(cell: Cell) -> Scores:
    """Precision and NMI of each variant on a draw."""
    sample, _, draw = cell.corpus.partition("/")
    corpus = as_asked(cell, load(sample, int(draw), cell.setting("selection"))[0])
    n_clusters = len(SAMPLES[sample].groups)
    models = {f"a = {a:g}": CTK(n_clusters, steepness=a, distance=WARD) for a in STEEPNESS}
    models[HALF] = HalfBetweenParts(n_clusters, distance=WARD)
    models[ONE_MINUS] = CTK(n_clusters)
    started = time.process_time()
    scores = {}
    for name, model in models.items():
        scores[name] = scores_of(corpus, complete(model.fit(corpus.counts)).labels_)
    return {"scores": scores, "seconds": time.process_time() - started}
