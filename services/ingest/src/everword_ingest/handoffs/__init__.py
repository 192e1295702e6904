"""Handoffs of a task to an advisor, and the advice that comes back."""
