"""`everword costs`, `everword budget` and `everword prices`: what models cost, and its limits."""
