"""OpenHands: trajectories of V0 (v0.py; one JSON array) and event logs of V1 (v1.py; JSONL)."""
