"""Renders the versions of a state that its service keeps."""
