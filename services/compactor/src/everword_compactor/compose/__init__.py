"""The words of a node of the summary DAG: made by a language model, or chosen from its sources word for word."""
