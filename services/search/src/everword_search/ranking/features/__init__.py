"""Features of a question and its candidates."""
