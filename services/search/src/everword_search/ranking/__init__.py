"""The learned ranking of the profile `recall`: features of a query and its candidates, and models."""
