"""The parts that make text findable: passages, the words that are indexed, and literals. Pure."""
