"""Reads of topic pages."""
