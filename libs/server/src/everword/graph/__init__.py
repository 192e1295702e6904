"""The graph: persons, places and things, their relations, valid times, and the time since when each is known.

Modules without a database: `labels` decides which names mean the same node, `admissible_types` which types are allowed,
`placement` the changes of a new edge, and `graph_text` words nodes and relations. `writer` and `edits` are the only
ways to write the graph. `everword.facts.edges.follow_facts` closes and reopens edges with the facts that support them.
"""
