"""What people check afterwards: why, from what, as known when, and whether the ledger is whole."""
