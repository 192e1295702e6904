"""Facts that are told, and set right."""
