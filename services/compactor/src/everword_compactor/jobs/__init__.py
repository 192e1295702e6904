"""What every job of the compactor works with: its context, its steps, its failures."""
