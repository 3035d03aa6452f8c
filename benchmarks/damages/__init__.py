"""Makes damaged states, and knows what is whole in them without reading them."""
