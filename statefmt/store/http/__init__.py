"""States in the backend `http`."""
