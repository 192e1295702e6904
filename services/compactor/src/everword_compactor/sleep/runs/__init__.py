"""How sessions and closings are run, and stored at once."""
