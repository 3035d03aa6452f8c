"""Changes shared by several operations."""
