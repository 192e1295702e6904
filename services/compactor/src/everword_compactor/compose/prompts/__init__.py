"""The prompts of a language model: each has a version, which is stored with what came of it."""
