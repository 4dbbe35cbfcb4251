"""Losses of margins and targets: what they cost, and what their dual variables earn."""
