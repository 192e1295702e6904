"""The graph: persons, places and things, how they are related, when that holds, and since when it is known.

`naming` says which names mean the same, `lasting` what may enter, `placing` what a new edge changes, `wording` puts
nodes and relations into lines: none of them knows a database. `writer` writes the graph and `changing` changes it: no
other way there is. `following` lets edges hold with their facts.
"""
