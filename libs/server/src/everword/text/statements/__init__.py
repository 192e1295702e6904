"""What a text says beyond values: what belongs to what, who said it, whether it is denied, and who ordered it."""
