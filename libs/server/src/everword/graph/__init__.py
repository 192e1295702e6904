"""The graph: persons, places and things, how they are related, when that holds, and since when it is known.

`naming` says what names mean the same, `lasting` what may enter, `placing` what a new edge changes, and `wording` puts
nodes and relations into lines: none of them knows a database. `writer` writes the graph and `changing` changes it: there
is no other way. `following` lets edges hold with their facts.
"""
