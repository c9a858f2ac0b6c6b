"""Trajectories of agents with a question each: are the grounds found, the false ones left, the decision right?"""
