#!/usr/bin/env python3
"""Train one small BERT with each of four kinds of positions: learned ones added once, fixed sines
added once, learned ones added again before every layer, and none. Everything else is equal, also
the text and the masks.

Every run trains on the same number of tokens, because equal minutes would favour a run during which
the machine was idle. The figures are printed, and written to --output with a directory of each model.

Needs:    what train_builtin_model.py needs
Example:  train_builtin_positions.py --output out/positions
"""

import argparse
import json
import time
from pathlib import Path
from types import SimpleNamespace

import torch
from builtin_model.evaluate import held_out_figures, held_out_passages
from builtin_model.network import POSITION_KINDS, Shape, save_model
from builtin_model.position_figures import position_figures
from builtin_model.teacher import teacher_folder, word_rows
from builtin_model.texts import Texts
from builtin_model.training import Data, Trainer
from builtin_model.vocabulary import load_tokenizer

VOCAB, WHOLE_WORDS, HIDDEN, HEADS, INTERMEDIATE, LAYERS = 3000, 2300, 96, 3, 192, 3


def parse_arguments():
    text = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=text[0], epilog="\n\n".join(text[1:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="directory to write to")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"), help="directory with data.noun")
    parser.add_argument("--cache", type=Path, default=Path("build/builtin-model"), help="for the teacher's vectors")
    parser.add_argument("--tokens", type=int, default=1_500_000, help="of each run (default: %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2], help="seeds (default: 1 2)")
    parser.add_argument("--kinds", nargs="+", choices=POSITION_KINDS, default=POSITION_KINDS,
                        help="kinds of positions (default: all)")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads(), help="threads")
    return parser.parse_args()


def train(args, kind, seed, texts, tokenizer, rows):
    """Trains and measures one run, and returns the finished network."""
    settings = SimpleNamespace(
        seed=seed, first_layers=LAYERS, training_tokens=args.tokens, minutes=0, constant_until=0.5, warmup=50,
        stack_at=[], embeddings_until=0.0, words_until=1.0, word_rows=16, joint_rows=0, workers=0,
        rate=1.5e-3, muon_rate=0.01)
    shape = Shape(len(rows), HIDDEN, LAYERS, HEADS, INTERMEDIATE, position_kind=kind)
    trainer = Trainer(settings, shape, Data(texts.packed(tokenizer, seed), None, None), "cpu")
    trainer.network.words.weight.data.copy_(rows)
    trainer.run()
    return trainer.network.eval()


def main():
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    args.output.mkdir(parents=True, exist_ok=True)
    texts, vocabulary = Texts.collect(args.wordnet, seed=1), args.output / "vocab.txt"
    texts.write_vocabulary(vocabulary, VOCAB, WHOLE_WORDS)
    tokenizer = load_tokenizer(args.output)
    rows = word_rows(teacher_folder(), vocabulary.read_text().splitlines(), HIDDEN, args.cache, "cpu")
    passages, results = held_out_passages(args.wordnet, tokenizer), []
    for seed in args.seeds:
        for kind in args.kinds:
            start = time.monotonic()
            network = train(args, kind, seed, texts, tokenizer, rows)
            seconds = time.monotonic() - start
            held = held_out_figures(network, passages)
            result = {"positions": kind, "seed": seed, "tokens": args.tokens, "seconds": round(seconds),
                      "right": held["right"] / held["tokens"], "five": held["five"] / held["tokens"],
                      **position_figures(network, passages)}
            results.append({k: round(v, 4) if isinstance(v, float) else v for k, v in result.items()})
            print(json.dumps(results[-1]), flush=True)
            (args.output / "results.json").write_text(json.dumps(results, indent=1) + "\n")
            folder = args.output / f"{kind}-{seed}"
            folder.mkdir(exist_ok=True)
            (folder / "vocab.txt").write_bytes(vocabulary.read_bytes())
            save_model(network, folder)


if __name__ == "__main__":
    main()
