"""Stages of Sleep beside facts: people, events, what is worth asking, how a user communicates, their trajectory."""
