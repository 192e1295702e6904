"""Reads of facts: current and past values, earlier beliefs, and the evidence."""
