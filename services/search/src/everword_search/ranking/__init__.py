"""The learned ranking of the profile `recall`: what is computed of a query and its candidates, and the models."""
