"""Property tests: few examples, always the same ones; with --hypothesis-profile full many and new ones."""

from hypothesis import HealthCheck, settings

settings.register_profile("quick", max_examples=50, derandomize=True, deadline=None, database=None)
settings.register_profile(
    "full", max_examples=300, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("quick")
