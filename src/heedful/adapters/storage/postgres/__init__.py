"""The shared store: one PostgreSQL database for all tenants, apart by row-level security (`heedful[postgres]`)."""
