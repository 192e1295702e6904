"""The state of a namespace's summaries: their number, their backlog, and their faithfulness."""
