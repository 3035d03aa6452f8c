"""What an encrypted state tells."""
