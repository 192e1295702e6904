"""Results of a page: their order, and what those of some kinds come with."""
