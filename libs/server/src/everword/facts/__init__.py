"""Facts: attributes of a subject, with their valid times and the time since when each is believed.

Modules without a database: `attributes` lists the known attributes and words a fact as text, `timeline` computes the
changes of a statement, and `confidence` weighs evidence. `writer` is the one way to write facts; `statement_writer`
writes statements, retractions and corrections through it, `conclusions` the consequences of all evidence together.
"""
