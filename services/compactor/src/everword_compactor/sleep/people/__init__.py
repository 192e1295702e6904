"""Stages of Sleep other than facts: people, events, questions worth asking, style of communication, trajectory."""
