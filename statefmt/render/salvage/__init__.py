"""Shows what was salvaged from a damaged state."""
