"""What every room rests on: errors, records, the driver of solvers, threads, keyed random numbers."""
