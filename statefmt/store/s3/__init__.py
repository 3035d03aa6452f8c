"""States in the backend `s3`."""
