"""The state of a namespace's summaries: how many there are, what waits for them, and how faithful they are."""
