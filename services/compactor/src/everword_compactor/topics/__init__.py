"""Follow what changed: relations that facts say, and pages about persons, places and things."""
