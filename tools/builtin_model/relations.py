"""Makes sentences that state WordNet's relations: kinds, parts, opposites, synonyms, people and places.

Every fact is said in one of several forms. A fact about a frequent word is said several times, in different forms.
"""

from .lexicon import PERSON, PLACE, is_held_out, with_article

NATIONAL_CAPITAL = "08691669"
COUNTRY = "08544813"

KIND = ("{a} is a kind of {other}.", "{a} is {b}.", "{a} is one kind of {other}.", "one kind of {other} is {a}.",
        "{a} and other kinds of {other}.")
KIND_OF_VERB = ("to {word} is a way to {other}.", "to {word} is to {other}.", "who can {word} can {other}.")
PART = ("{a} is part of {b}.", "{b} has {a}.", "the {word} is a part of the {other}.", "every {other} has {a}.")
MEMBER = ("{a} belongs to {b}.", "{a} is a member of {b}.")
OPPOSITE = ("the opposite of {word} is {other}.", "{word} is the opposite of {other}.", "not {word} but {other}.",
            "what is {word} is not {other}.", "{word} or {other}?")
SAME = ("{word} means the same as {other}.", "{word} is another word for {other}.", "{word}, that is, {other}.")
CAPITAL = ("the capital of {other} is {word}.", "{word} is the capital of {other}.", "{other}'s capital is {word}.",
           "the capital city of {other} is called {word}.", "{word} is the capital and a city of {other}.",
           "he lives in {word}, the capital of {other}.", "they went to {word} in {other}.",
           "what is the capital of {other}? it is {word}.")
LOCATED = ("{word} is in {other}.", "{word} is a place in {other}.", "{word} lies in {other}.",
           "there is a place in {other} that is called {word}.")
NAMED = ("{word} is {b}.", "{word} was {b}.", "{word} is the name of {b}.")
RARE_TOLD = 0.25        # for this part of the synsets without a frequent word, facts are told
TIMES = {"capital": 12, "opposite": 4}      # a fact is said so often; others once, or twice for a frequent word


class Facts:
    """Draws the sentences of one synset from its pointers."""

    def __init__(self, synsets, counts):
        self.synsets = {("a" if s.pos == "s" else s.pos, s.offset): s for s in synsets}
        self.frequency = {}
        for (lemma, _, _), count in counts.items():
            word = lemma.replace("_", " ")
            self.frequency[word] = self.frequency.get(word, 0) + count
        kinds = {s.offset for s in synsets if s.pos == "n" and (COUNTRY, "n") in s.hypernyms}
        self.country_kinds = kinds | {COUNTRY}      # "country", "European country" …

    def is_country(self, synset):
        return bool(self.country_kinds & set(synset.instance_of))

    def capitals(self):
        """Returns [(city, country)] of the national capitals, each with its shortest name."""
        return [(name(s), name(country)) for s in self.synsets.values() if NATIONAL_CAPITAL in s.instance_of
                for country in self.targets(s, "#p") if self.is_country(country)]

    def countries(self):
        return [name(s) for s in self.synsets.values() if self.is_country(s)]

    def targets(self, synset, symbol):
        return [self.synsets[("a" if pos == "s" else pos, offset)] for kind, offset, pos, _ in synset.pointers
                if kind == symbol]

    def common(self, synset):
        """Returns the synset's most frequent word."""
        return max(synset.words, key=lambda word: self.frequency.get(word, 0))

    def sentences(self, rng, synset):
        """Yields the sentences about the synset, one to three for most."""
        if synset.pos == "n":
            yield from self.noun_sentences(rng, synset)
        elif synset.pos == "v":
            for target in self.targets(synset, "@")[:1]:
                yield from self.say(rng, KIND_OF_VERB, self.common(synset), self.common(target))
        yield from self.word_sentences(rng, synset)

    def noun_sentences(self, rng, synset):
        word = name(synset) if synset.instance_of else self.common(synset)
        for target in self.targets(synset, "@")[:1]:
            yield from self.say(rng, KIND, word, self.common(target))
        for target in self.targets(synset, "@i")[:1]:
            if synset.lexfile in (PERSON, PLACE) or rng.random() < 0.3:
                yield from self.say(rng, NAMED, word, self.common(target))
        for target in self.targets(synset, "#p")[:1]:
            if not synset.instance_of:
                yield from self.say(rng, PART, word, self.common(target))
            elif NATIONAL_CAPITAL in synset.instance_of and self.is_country(target):
                yield from self.say(rng, CAPITAL, word, name(target), TIMES["capital"])
            else:
                yield from self.say(rng, LOCATED, word, name(target))
        for target in self.targets(synset, "#m")[:1]:
            if not synset.instance_of and self.frequency.get(word, 0):
                yield from self.say(rng, MEMBER, word, self.common(target))

    def word_sentences(self, rng, synset):
        for symbol, offset, pos, words in synset.pointers:
            if symbol == "!":
                other = self.synsets[("a" if pos == "s" else pos, offset)]
                pair = synset.words[int(words[:2], 16) - 1], other.words[int(words[2:], 16) - 1]
                yield from self.say(rng, OPPOSITE, *pair, TIMES["opposite"])
        if len(synset.words) > 1 and rng.random() < 0.4:
            yield from self.say(rng, SAME, *rng.sample(synset.words, 2))

    def say(self, rng, forms, word, other, times=None):
        if times is None:
            times = 2 if self.frequency.get(word, 0) >= 5 else 1
        for i in range(times):
            yield forms[i % len(forms) if times > 2 else rng.randrange(len(forms))].format(
                word=word, other=other, a=with_article(word), b=with_article(other))


def name(synset):
    """Returns the usual name of a place or person, which is the first word in WordNet."""
    return synset.words[0]


def relation_documents(rng, synsets, counts):
    """Returns the sentences in random order, in lists of 24. Held-out synsets are left out, except the capitals, whose
    sentences are not WordNet's."""
    facts = Facts(synsets, counts)

    def is_told(synset):
        if NATIONAL_CAPITAL in synset.instance_of:
            return True
        usual = any(facts.frequency.get(word, 0) for word in synset.words)
        return not is_held_out(synset) and (usual or rng.random() < RARE_TOLD)

    sentences = [text for s in synsets if is_told(s) for text in facts.sentences(rng, s)]
    rng.shuffle(sentences)
    return [sentences[at:at + 24] for at in range(0, len(sentences), 24)]
