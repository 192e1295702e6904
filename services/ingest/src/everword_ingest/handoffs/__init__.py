"""Handing a task over to an advisor, and bringing back what it found."""
