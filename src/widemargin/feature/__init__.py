"""Features of things that are no rows of numbers: text."""
