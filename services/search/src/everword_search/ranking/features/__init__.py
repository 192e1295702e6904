"""What the models are given of a question and its candidates."""
