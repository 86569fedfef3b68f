"""Perfetto's binary traces (.pftrace, as torch's cupti_monitor backend writes them) → RawTrace."""
