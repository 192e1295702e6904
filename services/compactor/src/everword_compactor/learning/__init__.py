"""Learn facts from what users say, without a language model."""
