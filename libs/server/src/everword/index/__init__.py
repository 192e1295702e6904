"""The index over every kind of memory: the one way to write it.

`passages` describes its rows, and `builders` makes rows of texts. `writer` stores and removes them, together with the
data that depends on them: counts for BM25, jobs for vectors, and names of authors.
"""
