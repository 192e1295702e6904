"""Sentences that say what tool calls came to, made from the calls alone, without a model."""
