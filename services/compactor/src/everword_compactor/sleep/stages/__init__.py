"""The stages of Sleep, in their order."""
