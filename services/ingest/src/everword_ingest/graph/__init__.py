"""What is written into the graph: nodes, relations, and what becomes of them."""
