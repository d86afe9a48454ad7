"""The preprocessing of the papers, by name."""

from coterie.corpus import TextOptions

PAPER_000 = TextOptions(language="en", stop_words="long", min_df=3, digits="one")
"""Lower case, digits to one token, a stop list, words in at least three documents."""
