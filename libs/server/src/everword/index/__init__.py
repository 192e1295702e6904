"""The index over every kind of memory: the one way to write it.

`passages` says what a row of it is, and `builders` makes rows of texts. `writer` stores and removes them, and with them
what depends on them: the counts that BM25 rests on, the vectors that become due and the names of who spoke.
"""
