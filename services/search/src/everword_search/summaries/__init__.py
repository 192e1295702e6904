"""Reading the summary DAG: its nodes, and what they were made from."""
