"""Source text: positions and problems."""
