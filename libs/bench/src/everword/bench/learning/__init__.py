"""`everword bench learning`: labelled conversations, and the comparison of their labels with learned facts."""
