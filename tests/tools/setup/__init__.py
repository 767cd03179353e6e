"""Tests of tools/setup."""
