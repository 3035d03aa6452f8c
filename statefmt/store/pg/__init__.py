"""States in the backend `pg`."""
