"""All the text of the training, in one place: the documents of each source, and what is derived from them."""

import random
import re

from .corpus import POSITIONS, Packed, Passages, Sentences
from .lexicon import BLOCK, Lexicon, build_families, is_held_out, read_wordnet
from .plain import Plain
from .prose import prose_documents
from .relations import Facts, relation_documents
from .teacher import teacher_vectors
from .vocabulary import whole_words, write_vocabulary

PLAIN_DOCUMENTS = 2500      # of 24 sentences
LONGEST_SENTENCE = 40       # words of a sentence for the teacher


class Texts:
    def __init__(self, wordnet, seed):
        self.synsets, self.counts = read_wordnet(wordnet)
        self.lexicon, self.seed = Lexicon(self.synsets, self.counts, wordnet), seed
        rng = random.Random(seed)
        plain = Plain(random.Random(seed))
        self.documents = {
            "wordnet": wordnet_documents(self.synsets),
            "relations": relation_documents(rng, self.synsets, self.counts),
            "plain": [plain.document() for _ in range(PLAIN_DOCUMENTS)], **prose_documents()}

    def write_vocabulary(self, path, size, words):
        """vocab.txt; `words` of its `size` lines are whole words."""
        sources = {name: [text for d in documents for text in d] for name, documents in self.documents.items()}
        facts = Facts(self.synsets, self.counts)
        names = [*facts.countries(), *(city for city, _ in facts.capitals())]
        names = [name.lower() for name in names if re.fullmatch("[A-Za-z]+", name)]
        write_vocabulary(path, sources, whole_words(sources, self.lexicon, self.counts, names, words), size)

    def packed(self, tokenizer, seed=None):
        """seed: of the order, if it is not that of the texts."""
        tokenizer.no_truncation()
        return Packed(self.documents, tokenizer, self.seed if seed is None else seed)

    def held_out_passages(self, tokenizer):
        return Passages(self.synsets, tokenizer, held_out=True)

    def passages(self, tokenizer):
        """WordNet's passages without the held-out ones; the novels' and the Bible's sentences follow each other too."""
        tokenizer.no_truncation()
        novels = [[s for p in d for s in re.split(r"(?<=[a-z][.!?]) ", p) if 4 <= len(s.split()) <= LONGEST_SENTENCE]
                  for d in self.documents["austen"]]
        return Passages(self.synsets, tokenizer, False, [*novels, *self.documents["bible"]])

    def sentences(self, tokenizer, count, folder, cache, device):
        """Families of similar sentences and the teacher's vectors of them; a third are the plain grammar's and the
        relations'."""
        families = build_families(self.synsets, self.lexicon, count * 2 // 3, self.seed)
        others = [text for name in ("plain", "relations") for d in self.documents[name] for text in d]
        rng = random.Random(self.seed)
        families += [[text] for text in rng.sample(sorted(set(others)), count // 3)]
        rng.shuffle(families)
        texts = [text for family in families for text in family]
        vectors = teacher_vectors(folder, texts, cache, device)
        tokenizer.enable_truncation(POSITIONS)
        return Sentences(families, [e.ids for e in tokenizer.encode_batch(texts)], vectors)


def wordnet_documents(synsets):
    """The definitions and examples of each run of neighbouring synsets that are not held out."""
    documents = {}
    for synset in synsets:
        if not is_held_out(synset):
            text = [synset.sentence(), *(example + "." for example in synset.examples)]
            documents.setdefault(synset.position // BLOCK, []).extend(text)
    return list(documents.values())

