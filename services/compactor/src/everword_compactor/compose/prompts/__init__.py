"""The prompts of a language model: each has a version, which is stored with its results."""
