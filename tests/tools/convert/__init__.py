"""Tests of tools/convert, a file for each of its files."""
