"""Names for the arrays that travel between rooms, and the kernels a backend must offer."""

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array: TypeAlias = npt.NDArray[np.floating[Any]]
Labels: TypeAlias = npt.NDArray[np.integer[Any]]
Strings: TypeAlias = npt.NDArray[np.object_]
Counts: TypeAlias = sp.csr_array
