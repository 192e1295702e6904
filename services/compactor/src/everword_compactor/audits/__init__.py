"""How the summaries of a namespace stand: how many there are, what waits for them, and how faithful they are."""
