"""The results of a page: their order, and additional fields of some kinds."""
