"""Trains the two models of the profile `recall` on files of questions whose answers are known."""
