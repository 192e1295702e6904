"""How a node of the summary DAG is stored: with its sources, its place, and its passages in the index."""
