"""The names that expressions see, and the instances of modules and resources."""
