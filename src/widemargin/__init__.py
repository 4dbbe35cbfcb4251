"""Large-margin and ensemble learning with the proof attached."""
