"""Background work: durable, leased, idempotent; each piece of it is whole in one transaction."""
