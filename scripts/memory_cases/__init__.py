"""Programs whose memory is known from their code, and measured while they run on a CPU."""
