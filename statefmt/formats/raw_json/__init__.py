"""Raw JSON: positions, spans and pointers, without decoding values."""
