"""Provider configurations, declared, used and removed."""
