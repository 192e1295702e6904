"""The arms of a search: different ways to find candidates, behind one interface.

`everword_search.ranking` ranks their candidates together.
"""
