"""ATIF, the Agent Trajectory Interchange Format of Harbor: trajectory.py reads the document, steps.py one step."""
