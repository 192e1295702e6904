"""What every client of a model server needs: where the server is, what its refusals say, when to leave it alone."""
