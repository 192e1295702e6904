"""What a language model is asked: each prompt has a version, which is stored with what came of it."""
