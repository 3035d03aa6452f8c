"""What to do about an object whose provider goes away."""
