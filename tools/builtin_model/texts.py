"""All text of the training: the documents of each source, and what is derived from them.

The text can be written to one file, so that a machine without the packages (one with a GPU, say) can train on it.
"""

import json
import lzma
import random
import re

from .compared import Compared
from .corpus import POSITIONS, Packed, Passages, Sentences, passage_texts
from .lexicon import BLOCK, Forms, Lexicon, build_families, is_held_out, read_wordnet
from .plain import Plain, everyday_patterns
from .prose import prose_documents, sentences, speeches
from .relations import Facts, relation_documents
from .teacher import teacher_vectors
from .vocabulary import whole_words, write_vocabulary

PLAIN_DOCUMENTS = 2500      # of 24 sentences
COMPARED_DOCUMENTS = 4000   # of 24 sentences
SENTENCE_WORDS = range(4, 41)    # of a sentence of prose for the teacher or for pairs
# Shares of the sentences for the teacher. The rest comes from compared.txt.
WORDNET_PART, PLAIN_PART, PROSE_PART = 0.2, 0.06, 0.14


def plain_form(sentence):
    """Returns the sentence's letters and digits in lower case. Two sentences are the same if these are."""
    return " ".join(re.findall(r"[a-z0-9]+", sentence.lower()))


class Measured:
    """Tells whether the model is measured on a sentence, whatever its case and punctuation."""

    def __init__(self, synsets, texts=()):
        """texts are further sentences of the measurements, such as the STS benchmark's."""
        held_out = [s for s in synsets if is_held_out(s)]
        told = [text for s in held_out for text in (s.sentence(), s.definition, *s.examples)]
        self.forms = {plain_form(text) for text in (*told, *texts)}
        self.everyday = re.compile("|".join(everyday_patterns()))

    def __call__(self, sentence):
        return plain_form(sentence) in self.forms or bool(self.everyday.fullmatch(sentence))


class Texts:
    """documents is {source: documents}; a document is a list of texts. families are lists of similar sentences for the
    teacher. passages is the result of corpus.passage_texts."""

    def __init__(self, documents, families, passages, seed):
        self.documents, self.families, self.passage_texts, self.seed = documents, families, passages, seed

    @classmethod
    def collect(cls, wordnet, seed, count=0, speech_folder=None, measured=()):
        """Collects the documents from WordNet's folder and the packages of prose. count: the number of sentences for
        the teacher. speech_folder: see prose.speeches; None leaves out the speeches and the documents of compared.txt's
        sentences. measured: texts that must not be made."""
        synsets, counts = read_wordnet(wordnet)
        rng, plain = random.Random(seed), Plain(random.Random(seed))
        documents = {
            "wordnet": wordnet_documents(synsets), "relations": relation_documents(rng, synsets, counts),
            "plain": [plain.document() for _ in range(PLAIN_DOCUMENTS)], **prose_documents()}
        compared = Compared(random.Random(seed), Forms(wordnet), Measured(synsets, measured))
        if speech_folder:
            documents["speeches"] = speeches(speech_folder)
            documents["compared"] = [[text for _ in range(8) for text in compared.family()]
                                     for _ in range(COMPARED_DOCUMENTS)]
        lexicon = Lexicon(synsets, counts, wordnet)
        families = sentence_families(rng, synsets, lexicon, documents, compared, count) if count else []
        novels = [prose_sentences(document) for document in documents["austen"]]
        blocks, pairs = passage_texts(synsets, held_out=False)
        pairs += [pair for document in (*novels, *documents["bible"]) for pair in zip(document, document[1:])]
        texts = cls(documents, families, (blocks, pairs), seed)
        texts.lexicon, texts.counts, texts.facts = lexicon, counts, Facts(synsets, counts)
        return texts

    def save(self, path):
        value = {"documents": self.documents, "families": self.families, "passages": self.passage_texts,
                 "seed": self.seed}
        path.write_bytes(lzma.compress(json.dumps(value, separators=(",", ":")).encode(), preset=9))

    @classmethod
    def load(cls, path):
        value = json.loads(lzma.decompress(path.read_bytes()))
        return cls(value["documents"], value["families"], value["passages"], value["seed"])

    def write_vocabulary(self, path, size, words):
        """Writes vocab.txt with `size` lines, of which `words` are whole words. Works for collected texts, not for
        loaded ones."""
        sources = {name: [text for d in documents for text in d] for name, documents in self.documents.items()}
        names = [*self.facts.countries(), *(city for city, _ in self.facts.capitals())]
        names = [name.lower() for name in names if re.fullmatch("[A-Za-z]+", name)]
        write_vocabulary(path, sources, whole_words(sources, self.lexicon, self.counts, names, words), size)

    def packed(self, tokenizer, seed=None):
        """Returns the packed rows. Their order depends on `seed`, by default that of the texts."""
        tokenizer.no_truncation()
        return Packed(self.documents, tokenizer, self.seed if seed is None else seed)

    def passages(self, tokenizer):
        """Returns the passages without the held-out ones of WordNet. Those of the novels and the Bible are included."""
        tokenizer.no_truncation()
        return Passages(*self.passage_texts, tokenizer)

    def sentences(self, tokenizer, folder, cache, device):
        """Returns the families' sentences with the teacher's vectors."""
        texts = [text for family in self.families for text in family]
        vectors = teacher_vectors(folder, texts, cache, device)
        tokenizer.enable_truncation(POSITIONS)
        return Sentences(self.families, [e.ids for e in tokenizer.encode_batch(texts)], vectors, device)


def prose_sentences(paragraphs):
    return [s for p in paragraphs for s in sentences(p) if len(s.split()) in SENTENCE_WORDS]


def sentence_families(rng, synsets, lexicon, documents, compared, count):
    """Returns about `count` sentences in families. Those of WordNet come with their copies. Those of prose and the
    plain ones are families of one sentence. Those of compared.txt are all different."""
    families = build_families(synsets, lexicon, int(count * WORDNET_PART), rng.random())
    plain = {text for name in ("plain", "relations") for d in documents[name] for text in d}
    prose = {s for name in ("austen", "bible", "devil", "speeches") for d in documents.get(name, ())
             for s in prose_sentences(d)}
    for told, part in ((plain, PLAIN_PART), (prose, PROSE_PART)):
        families += [[text] for text in rng.sample(sorted(told), min(len(told), int(count * part)))]
    known, left = set(), count - sum(map(len, families))
    while left > 0:
        family = [text for text in compared.family() if text not in known]
        known.update(family)
        left -= len(family)
        families += [family] if family else []
    return sorted(families)


def wordnet_documents(synsets):
    """Returns the definitions and examples of each run of neighbouring synsets that are not held out."""
    documents = {}
    for synset in synsets:
        if not is_held_out(synset):
            text = [synset.sentence(), *(example + "." for example in synset.examples)]
            documents.setdefault(synset.position // BLOCK, []).extend(text)
    return list(documents.values())
