"""Shows values, changes and paths as the JSON form of plans does."""
