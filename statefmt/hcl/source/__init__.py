"""Source text: positions in it, and problems found there."""
