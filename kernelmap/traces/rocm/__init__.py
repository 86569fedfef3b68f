"""AMD's rocprofv3: its JSON, and its databases (rocpd) → RawTrace."""
