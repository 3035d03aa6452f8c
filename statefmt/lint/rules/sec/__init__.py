"""Rules about secrets that are not marked as sensitive (SEC)."""
