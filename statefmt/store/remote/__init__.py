"""States in backends: what each backend implements (`client`), and what all of them share (`store`)."""
