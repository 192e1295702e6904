"""Documents: files that callers upload, in chunks that are found."""
