"""What a snapshot holds, counted and arranged: who uses which provider, what takes the room, what depends on what."""
