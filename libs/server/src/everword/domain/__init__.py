"""What Everword's services agree on without any I/O: errors, callers, deadlines, text and limits."""
