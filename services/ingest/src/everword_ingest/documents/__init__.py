"""Documents: files that are uploaded and texts that are written, in versions, and the chunks that are found."""
