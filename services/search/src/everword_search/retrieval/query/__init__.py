"""The meaning of a query: its words, its operators, its vector."""
