"""How text becomes findable: passages, the words that are indexed, and literals. Pure."""
