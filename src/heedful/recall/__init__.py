"""Stage 5: what is found for a request, of what the requester may see."""
