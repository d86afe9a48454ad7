"""The hand-made clustering that tests of the findings share with those of the report."""

from handmade import corpus, labelled, make_corpus, model

__all__ = ["corpus", "labelled", "make_corpus", "model"]
