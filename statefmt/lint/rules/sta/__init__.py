"""Rules about the file and its envelope (STA)."""
