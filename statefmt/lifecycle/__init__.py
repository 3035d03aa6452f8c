"""The life of resource instances: plans, provider schemas, and what must hold between planned and new objects."""
