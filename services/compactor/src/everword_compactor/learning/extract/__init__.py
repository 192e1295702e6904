"""Find claims in what a user says, by rules: no database, no model."""
