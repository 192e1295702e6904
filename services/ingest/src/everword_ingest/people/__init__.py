"""What people say of what Sleep learned: rulings on people and events, and the end of questions."""
