"""What Sleep learned of a subject beside facts, as it is read, and the questions that are offered to an agent."""
