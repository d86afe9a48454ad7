"""Published tables and figures as data, the experiments that compute them again, collections.

The proof of the library and no part of it: this package imports `coterie`, never the reverse.
`coterie reproduce` and `coterie datasets` are its commands; in Python, see
`coterie_papers.running` and `coterie_papers.collections`.
"""
