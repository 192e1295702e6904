"""What a node of the summary DAG says: made by a language model, or chosen from its sources word for word."""
