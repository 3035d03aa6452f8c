"""The numbers of a state."""
