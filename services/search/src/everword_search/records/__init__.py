"""What is stored, as it is: by id, and in pages."""
