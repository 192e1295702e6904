"""What a query means: its words, its operators, its vector."""
