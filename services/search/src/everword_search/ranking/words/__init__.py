"""What is known of words: how frequent they are, and which are names."""
