"""Documents and workspace files, as searches and contexts read them."""
