"""Rules about outputs (OUT)."""
