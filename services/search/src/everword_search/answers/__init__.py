"""Answers to questions, in words, from what is remembered."""
