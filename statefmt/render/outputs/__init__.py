"""Output values."""
