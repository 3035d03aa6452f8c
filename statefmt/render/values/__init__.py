"""Single values and types."""
