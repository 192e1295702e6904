"""Facts: what holds of somebody or something, when it holds, and since when that is believed.

`attributes` knows what can be said of somebody, `timeline` decides what a statement changes, `confidence` weighs
evidence, and `sentence` puts a fact into words: none of them knows a database. `writer` is the one way to write facts,
and `told` says what a statement, a retraction and a correction write.
"""
