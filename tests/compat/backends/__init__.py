"""States in backends, with a real Terraform as the other client."""
