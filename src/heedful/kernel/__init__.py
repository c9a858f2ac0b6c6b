"""Words that every stage shares: ids, times, scopes, labels, ladders, canonical bytes, digests, errors."""
