"""What a snapshot holds, and what changes in it."""
