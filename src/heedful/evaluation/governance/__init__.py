"""Governance: many people share one memory; what each is handed, what nobody may be, and what was to be forgotten."""
