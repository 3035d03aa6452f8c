"""Rules about envelopes of encrypted states (ENC)."""
