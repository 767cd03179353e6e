"""Makes the vocabulary: special tokens, single characters, whole words, and pieces learned for all other words.

The whole words are the most frequent ones of the licensed texts and of WordNet's counts, with their forms, and the
one-word names of countries and capitals. The pieces are learned only from the other words, so that no piece is spent on
a part of a whole word.
"""

import re
import string
from collections import Counter
from pathlib import Path

from tokenizers import BertWordPieceTokenizer, Tokenizer, models, normalizers, pre_tokenizers, trainers

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PAD, UNK, CLS, SEP, MASK = range(5)
# Words of today, which are seldom or never in WordNet (2006) and in older prose.
MODERN = Path(__file__).parent / "modern_words.txt"
# The counts of each source are scaled to the same sum, so that a long novel does not outweigh the definitions.
WEIGHTS = {"plain": 0.5, "relations": 0.5, "austen": 0.6, "bible": 0.3, "devil": 0.3, "wordnet": 1.5,
           "speeches": 0.6, "compared": 0.5}


def word_counts(texts):
    counts = Counter()
    for text in texts:
        counts.update(re.findall(r"[a-z]+", text.lower()))
    return counts


def whole_words(sources, lexicon, tagged, names, size):
    """Returns `size` words: `names`, those of modern_words.txt, and the most frequent ones of all sources and WordNet's
    counts. sources is {name: texts}. tagged are the counts that read_wordnet returns."""
    share = Counter()
    for source, texts in sources.items():
        counts = word_counts(texts)
        total = counts.total()
        for word, count in counts.items():
            share[word] += WEIGHTS[source] * count / total
    total = sum(tagged.values())
    forms = {1: ("base", "s"), 2: ("base", "s", "ing", "ed")}
    for (lemma, digit, _), count in tagged.items():
        if re.fullmatch("[a-z]{2,}", lemma):
            for form in forms.get(digit, ("base",)):
                share[lexicon.inflect(lemma, digit, form)] += (2.0 if form == "base" else 0.7) * count / total
    modern = [w for line in MODERN.read_text().splitlines() if not line.startswith("#") for w in line.split()]
    first = list(dict.fromkeys([*modern, *names]))
    rest = [w for w, _ in sorted(share.items(), key=lambda item: (-item[1], item[0])) if w not in set(first)]
    return (first + rest)[:size]


def write_vocabulary(path, sources, words, size):
    """Writes vocab.txt with `size` lines."""
    known = set(words)
    others = Counter()
    for source, texts in sources.items():
        for word, count in word_counts(texts).items():
            if word not in known:
                others[word] += count
    learner = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    learner.normalizer = normalizers.BertNormalizer(lowercase=True)
    learner.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    characters = string.ascii_lowercase + string.digits + string.punctuation
    first = [*SPECIAL, *characters, *("##" + c for c in string.ascii_lowercase + string.digits)]
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False)
    repeated = (" ".join([word] * min(count, 1000)) for word, count in others.items() if count > 1)
    learner.train_from_iterator(repeated, trainer)
    learned = learner.get_vocab()
    pieces = [*first, *words, *sorted(learned, key=learned.get)]
    path.write_text("".join(f"{piece}\n" for piece in list(dict.fromkeys(pieces))[:size]))


def load_tokenizer(folder):
    return BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
