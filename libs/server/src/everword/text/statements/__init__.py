"""Statements in a text beyond its values: subjects, speakers, negation, and orders."""
