"""The history of a state."""
