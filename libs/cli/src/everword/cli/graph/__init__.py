"""`everword graph`: who and what there is, and how they are related."""
