"""Find groups of documents and the groups of words that explain them."""
