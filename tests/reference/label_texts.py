"""Makes texts and labels for comparisons of models that read labels, with Chinese, emoji, accents and 0 to 400
words."""

import json
import pathlib
import random
import subprocess
import sys

WORDS = ("Ada Lovelace lived in London and wrote to Charles Babbage in 1843 about the Analytical-Engine , e-mail "
         "ada@example.org , Tel. +44 20 7946 0958 , 東京 は 大きい 北京大学 Zürich naïve co-operate x_1-y2 -- --- 😀 👍🏽 "
         "don't U.S.A. € 50% ½ ² e\u0301t\u0301e \u200b \ufeff <<ENT>> <<SEP>> [SEP] [MASK] café Straße").split(" ")
LABELS = [f"{a} {b}".strip() for a in ("", "famous", "small", "place of", "名前", "e-mail", "12") for b in
          ("person", "city", "date", "company", "birth")]


def text_of(draw: random.Random, words: list[str] | None = None) -> str:
    """Returns a text of these words, with spaces between most of them."""
    count = draw.choice([0, 1, 2, 5, 12, 30, 60, draw.choice([120, 400])])
    chosen = [draw.choice(words or WORDS) for _ in range(count)]
    return "".join(word + draw.choice([" ", " ", " ", "  ", "", "\n", "\t", "\u3000"]) for word in chosen)


def program_lines(program: str, command: str, model: pathlib.Path, texts: list[str], labels: list[str],
                  options: list[str]) -> list[dict]:
    """Returns the program's result for each text. Exits if the program fails."""
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    arguments = [program, command, "--model", str(model), "--jsonl", "--input", "-", "--format", "jsonl", "--quiet"]
    arguments += options
    for label in labels:
        arguments += ["--label", label]
    done = subprocess.run(arguments, input=lines, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(arguments[:4])}: exit {done.returncode}\n{done.stderr}\n{done.stdout[:2000]}")
    return [json.loads(line) for line in done.stdout.splitlines()]
