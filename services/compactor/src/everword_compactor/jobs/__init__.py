"""Common parts of the compactor's jobs: their context, their steps, their failures."""
