"""The models that rank, and what computes with them."""
