"""The hand-made clustering that tests of the report share with those of the findings."""

from handmade import corpus, labelled, make_corpus, model

__all__ = ["corpus", "labelled", "make_corpus", "model"]
