"""The whole way from a file to a verdict."""
