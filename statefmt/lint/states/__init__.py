"""Views of a state that several rules share."""
