"""SWE-agent trajectories (trajectory.py), and those of mini-SWE-agent (mini.py): JSON, in the order of its arrays."""
