"""Reviews of the results of Sleep: rulings on people and events, and the end of questions."""
