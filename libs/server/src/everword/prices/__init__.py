"""Prices of language models: the list that comes with Everword, and files of an operator in the same form."""
