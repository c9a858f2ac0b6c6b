"""What is told becomes records, and drafts of claims."""
