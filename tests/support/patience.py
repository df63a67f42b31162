"""How long tests wait for what must happen, and how soon is soon: bounds that a busy machine, many times slower, keeps.

A wait ends as soon as its condition holds, so a long one costs nothing but where a test fails.
"""

DEADLINE = 90.0  # seconds that anything in a test may take at most
SOON = 30.0  # seconds; for what must not wait for something that takes minutes, or never ends
