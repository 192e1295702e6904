"""Ranking models and their evaluation."""
