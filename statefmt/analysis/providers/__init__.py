"""Who uses which provider configuration, and what a configuration means for it."""
