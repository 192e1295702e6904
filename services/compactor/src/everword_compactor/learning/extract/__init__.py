"""Find claims in users' messages by rules: no database, no model."""
