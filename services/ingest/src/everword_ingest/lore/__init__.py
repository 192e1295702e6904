"""Lorebooks: what an agent is to know as soon as it comes up."""
