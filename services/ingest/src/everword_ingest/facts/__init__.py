"""Facts written and corrected by callers."""
