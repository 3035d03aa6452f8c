"""What a change of a configuration would do to a state."""
