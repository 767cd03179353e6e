"""Readers, name rules and the writer behind tools/convert_weights.py; numpy is the only dependency."""
