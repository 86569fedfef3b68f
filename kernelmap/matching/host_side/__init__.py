"""What the host did: ranges, threads, captures and marks, laid out for whoever asks."""
