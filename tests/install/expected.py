#!/usr/bin/env python3
"""expected.py GOLDEN_FOLDER CASE writes the values with which the consumers compare theirs: the text, its sizes, the
tolerance (the reference's largest float32 error), the ids, the token representations and the pooled output."""

import json
import re
import sys
from pathlib import Path

import numpy

folder, number = Path(sys.argv[1]), int(sys.argv[2])
case = json.loads((folder / "index.json").read_text())[number]
ids, begin = case["input_ids"], case["row_offset"]
hidden = numpy.load(folder / "last_hidden_state.f64.npy")[begin : begin + len(ids)]
pooled = numpy.load(folder / "pooler_output.f64.npy")[number]
errors = re.findall(r": ([0-9.e-]+)", (folder / "float32_error.json").read_text())

print(case["text"])
print(len(ids), hidden.shape[1], max(map(float, errors)))
print(*ids)
for row in [*hidden, pooled]:
    print(*(repr(float(value)) for value in row))
