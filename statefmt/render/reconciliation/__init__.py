"""Shows how the state that an apply could not save relates to the stored one, and what to do."""
