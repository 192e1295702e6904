"""Answers to questions in prose, generated from memories."""
