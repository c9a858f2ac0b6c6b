"""Places for content over the inline limit."""
