"""Which call the debug printer speaks of: names, launches, values, and how a log ends."""
