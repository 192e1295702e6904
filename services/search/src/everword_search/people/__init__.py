"""Reads of people, events, traits and trajectories learned by Sleep, and offers of questions to an agent."""
