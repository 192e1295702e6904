"""Storage of a node of the summary DAG: with its sources, its place, and its passages in the index."""
