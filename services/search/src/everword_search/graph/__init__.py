"""The graph as it is read: nodes, what they are related to, and what a topic touches."""
