"""Several views of the same documents: languages, or words and vectors (Kim et al., 2010)."""

from coterie.multiview.concatenated import ConcPLSA
from coterie.multiview.fusion import FusionLM
from coterie.multiview.voted import VotedPLSA

__all__ = ["ConcPLSA", "FusionLM", "VotedPLSA"]
