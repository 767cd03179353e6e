"""Chooses a sweep's share: every step-th of its sites, from a first one that FAULTS_SEED sets. Without FAULTS_SEED the
seed is drawn by chance and printed, so that the same share can be run again. FAULTS_STEP sets the step of every sweep:
1 runs all sites (tests/faults/run_all.sh); with 8, the seeds 1 to 8 together run all."""

import os
import random
import zlib

SEED = int(os.environ.get("FAULTS_SEED", "0")) or random.randrange(1, 10**6)


def step(default: int) -> int:
    return int(os.environ.get("FAULTS_STEP", default))


def of(sites, default_step: int, name: str = "") -> list:
    """The share of `sites`, in order. Sweeps of other names begin at other sites."""
    parts = step(default_step)
    first = (SEED + zlib.crc32(name.encode())) % parts
    return list(sites)[first::parts]


print(f"FAULTS_SEED={SEED}", flush=True)
