"""Tests of tools/convert, with a file for each of its files."""
