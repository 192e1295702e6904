"""Knowledge of words: frequencies, and likely names."""
