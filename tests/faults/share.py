"""Chooses a test's share: every step-th of its sites, beginning with one chosen by FAULTS_SEED. Without FAULTS_SEED the
seed is random, and is printed so that the share can be run again. FAULTS_STEP sets the step of every test: 1 runs all
sites (tests/faults/run_all.sh); with 8, the seeds 1 to 8 together run all."""

import os
import random
import zlib

SEED = int(os.environ.get("FAULTS_SEED", "0")) or random.randrange(1, 10**6)


def step(default: int) -> int:
    return int(os.environ.get("FAULTS_STEP", default))


def of(sites, default_step: int, name: str = "") -> list:
    """Returns the share of `sites`, in order. The first site also depends on `name`."""
    parts = step(default_step)
    first = (SEED + zlib.crc32(name.encode())) % parts
    return list(sites)[first::parts]


print(f"FAULTS_SEED={SEED}", flush=True)
