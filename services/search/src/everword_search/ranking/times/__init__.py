"""Recognition of times that a question names."""
