"""The parts that Everword's services share without any I/O: errors, callers, deadlines, text and limits."""
