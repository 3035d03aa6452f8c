"""States in backends: the interface of each backend (`client`), and the shared parts (`store`)."""
