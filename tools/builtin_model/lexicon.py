"""Reads WordNet's synsets and counts, and makes families of similar sentences from them.

The sentences are definitions and examples, copies with words replaced by related ones, and sentences from a grammar
over WordNet's frequent words. All are drawn by a seeded generator, so the same WordNet gives the same sentences.
"""

import itertools
import random
import re
import zlib
from collections import Counter, defaultdict

BLOCK = 16            # so many consecutive synsets are held out together, and are a document of the pair objective
HELD_OUT_ONE_IN = 40
# Lexicographer files of WordNet (lexnames(5WN)).
ANIMAL, ARTIFACT, FOOD, GROUP, PLACE, OBJECT, PERSON, PLANT = 5, 6, 13, 14, 15, 17, 18, 20
ABSTRACT = (4, 9, 10, 11, 21, 26)
PHYSICAL_VERBS = (29, 34, 35, 36, 38, 39, 40)
NEWS_VERBS = (32, 33, 40, 41)
# Verbs whose participle is the base form. WordNet's lists of exceptions do not have them.
UNCHANGED = frozenset("bet burst cast cost cut hit hurt let put quit read set shut spread split".split())


class Synset:
    """One line of data.POS: its words, its definition, its examples, its hypernyms, its sentence frames."""

    def __init__(self, line, position):
        head, gloss = line.split(" | ", 1)
        field = head.split()
        self.position, self.offset, self.lexfile, self.pos = position, field[0], int(field[1]), field[2]
        count = int(field[3], 16)
        self.words = [re.sub(r"\(\w+\)$", "", w).replace("_", " ") for w in field[4:4 + 2 * count:2]]
        rest = field[4 + 2 * count:]
        pointers = int(rest[0])
        # A pointer has a symbol (wninput(5WN)), the target's offset and part of speech, and the numbers of the two
        # related words in hexadecimal, counted from 1. 0000 relates the synsets.
        self.pointers = [tuple(rest[1 + 4 * i:5 + 4 * i]) for i in range(pointers)]
        self.hypernyms = [(offset, pos) for symbol, offset, pos, _ in self.pointers if symbol == "@"]
        self.instance_of = [offset for symbol, offset, _, _ in self.pointers if symbol == "@i"]
        self.frames = {int(f) for f, plus in zip(rest[3 + 4 * pointers::3], rest[2 + 4 * pointers::3]) if plus == "+"}
        gloss = gloss.strip().replace("`", "'")
        self.examples = [e.strip(" ;,") for e in re.findall(r'"([^"]+)"', gloss) if len(e.split()) >= 3]
        definition = re.split(r'[;:,]?\s*"', gloss)[0]
        self.definition = re.sub(r"^\([^)]*\)\s*", "", definition).strip(" ;,:")

    def sentence(self):
        """Returns the definition as a sentence that names the word."""
        word = self.words[0]
        if self.pos == "v":
            return f"to {word} is to {self.definition}."
        if self.pos != "n":
            return f"{word} means {self.definition}."
        return f"{word if self.instance_of else with_article(word)} is {self.definition}."


def with_article(noun):
    """Returns the noun with "a" or "an", by the sound of its first letters: an apple, an hour, a uniform, a european.
    """
    vowel = re.match(r"(?!uni|use|eu|one\b)[aeiou]|hour|honest|heir", noun.lower())
    return ("an " if vowel else "a ") + noun


def read_wordnet(folder):
    """Returns the synsets in file order and counts[(lemma, pos digit, lexfile)] of the tagged corpus."""
    synsets, counts = [], Counter()
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{name}").read_text("latin-1").splitlines():
            if not line.startswith("  "):
                synsets.append(Synset(line, len(synsets)))
    for line in (folder / "cntlist.rev").read_text("latin-1").splitlines():
        key, _, count = line.split()
        lemma, sense = key.split("%")
        digit, lexfile = sense.split(":")[:2]
        counts[(lemma, int(digit), int(lexfile))] += int(count)
    return synsets, counts


def is_held_out(synset):
    return zlib.crc32(f"block {synset.position // BLOCK}".encode()) % HELD_OUT_ONE_IN == 0


class Forms:
    """Makes the forms of nouns and verbs, by rule and by WordNet's lists of exceptions."""

    def __init__(self, folder):
        self.irregular, self.plural_exception = defaultdict(list), {}
        for line in (folder / "verb.exc").read_text("latin-1").splitlines():
            form, lemma = line.split()[:2]
            self.irregular[lemma].append(form)
        for line in (folder / "noun.exc").read_text("latin-1").splitlines():
            form, lemma = line.split()[:2]
            self.plural_exception.setdefault(lemma, form)

    def inflect(self, lemma, digit, form):
        """Returns a form of a word. digit: WordNet's number of the part of speech, 1 for nouns and 2 for verbs. form:
        "base", "s", "ing", or "ed" for the participle."""
        if form == "base" or digit > 2:
            return lemma
        if form == "s":
            if digit == 1 and lemma in self.plural_exception:
                return self.plural_exception[lemma]
            if digit == 1 and re.search(r"(^|[^u])man$", lemma):
                return lemma[:-3] + "men"
            if re.search(r"[^aeiou]y$", lemma):
                return lemma[:-1] + "ies"
            return lemma + ("es" if re.search(r"(s|x|z|ch|sh|[^aeiou]o)$", lemma) else "s")
        if form == "ed" and lemma in UNCHANGED:
            return lemma
        known = [f for f in self.irregular[lemma] if f.endswith("ing") == (form == "ing")]
        if known:
            return next((f for f in known if f.endswith("n")), known[-1])
        if form == "ing":
            return (lemma[:-1] if re.search(r"[^eoy]e$", lemma) else lemma) + "ing"
        if lemma.endswith("e"):
            return lemma + "d"
        return re.sub(r"([^aeiou])y$", r"\1i", lemma) + "ed"


class Lexicon:
    """Frequent words with their forms and related words, for the grammar and the replacement of words."""

    def __init__(self, synsets, counts, folder):
        self.inflect = Forms(folder).inflect
        total, best = Counter(), {}
        for (lemma, digit, lexfile), count in counts.items():
            kind = (lemma, 3 if digit == 5 else digit)
            total[kind] += count
            if count > best.get(kind, (0, 0))[0]:
                best[kind] = (count, lexfile)
        by_offset = {(s.pos.replace("s", "a"), s.offset): s for s in synsets}
        first_sense, children = {}, defaultdict(list)
        digit_of = {"n": 1, "v": 2, "a": 3, "s": 3, "r": 4}
        for s in synsets:
            for word in s.words:
                kind = (word.replace(" ", "_"), digit_of[s.pos])
                if best.get(kind, (0, -1))[1] == s.lexfile or kind not in best:
                    first_sense.setdefault(kind, s)
            for pos, offset in (reversed(h) for h in s.hypernyms):
                children[(pos, offset)].append(s)
        self.pool, self.near, self.drawn = defaultdict(list), {}, {}
        for kind, (count, lexfile) in best.items():
            lemma, digit = kind
            if not re.fullmatch(r"[a-z]{3,}", lemma) or kind not in first_sense or count < 2:
                continue
            synset = first_sense[kind]
            self.pool[(digit, lexfile)].append((lemma, count ** 0.7))
            self.pool[(digit, None)].append((lemma, count ** 0.7))
            if digit == 2:
                for frame in synset.frames & {2, 8, 9, 22}:
                    self.pool[(digit, lexfile, frame)].append((lemma, count ** 0.7))
            same = [w for w in synset.words if w != lemma and re.fullmatch("[a-z]+", w)]
            wider = [w for h in synset.hypernyms for w in by_offset[h[::-1]].words[:1] if re.fullmatch("[a-z]+", w)]
            sisters = [s.words[0] for h in synset.hypernyms for s in children[h[::-1]][:60]
                       if s is not synset and re.fullmatch("[a-z]+", s.words[0])
                       and total[(s.words[0], digit)] > 0]
            self.near[kind] = (same, wider, sisters, lexfile)
        self.places = [s.words[0] for s in synsets if "08544813" in s.instance_of or "08691669" in s.instance_of
                       or "08524735" in s.instance_of]
        self.places = [p for p in self.places if len(p.split()) <= 2]
        self.forms = {}
        for (lemma, digit) in self.near:
            for form in ("base", "s", "ing", "ed") if digit == 2 else ("base", "s") if digit == 1 else ("base",):
                self.forms.setdefault(self.inflect(lemma, digit, form), (lemma, digit, form))

    def draw(self, rng, *keys):
        if keys not in self.drawn:
            words, weights = zip(*[entry for key in keys for entry in self.pool[key]])
            self.drawn[keys] = words, list(itertools.accumulate(weights))
        words, sums = self.drawn[keys]
        return rng.choices(words, cum_weights=sums)[0]

    def neighbour(self, rng, lemma, digit):
        """Returns a synonym, a hypernym, a sister term, or any word of the same field, each about equally often."""
        same, wider, sisters, lexfile = self.near[(lemma, digit)]
        for choices in rng.sample((same, same, wider, sisters), 3):
            if choices and rng.random() < 0.7:
                return rng.choice(choices)
        return self.draw(rng, (digit, lexfile))

    def exchange(self, rng, sentence):
        """Returns the sentence with one to three words replaced by others in the same form; None if no word can be
        replaced."""
        parts = re.findall(r"\w+|\W+", sentence)
        places = [i for i, p in enumerate(parts) if p.lower() in self.forms and len(p) > 2]
        if not places:
            return None
        for i in rng.sample(places, min(len(places), rng.choice((1, 1, 2, 2, 3)))):
            lemma, digit, form = self.forms[parts[i].lower()]
            parts[i] = self.inflect(self.neighbour(rng, lemma, digit), digit, form)
        return "".join(parts)


def made_family(rng, lexicon):
    """Returns two to four plain sentences that share some of their words: who does what to what, where, how many."""
    def noun(*lexfiles):
        return lexicon.draw(rng, *[(1, f) for f in lexfiles])

    def verb(lexfiles, *frames):
        return lexicon.draw(rng, *[(2, f, frame) for f in lexfiles for frame in frames])

    style = rng.choices(("scene", "still", "news", "question", "claim"), (40, 10, 25, 13, 12))[0]
    physical = style in ("scene", "still")
    thing_files = (ARTIFACT, ARTIFACT, FOOD, OBJECT, ANIMAL, PERSON) if physical else (ARTIFACT, GROUP, *ABSTRACT)

    def slots():
        return {
            "who": rng.choice(("man", "woman", "boy", "girl", "child", "dog", "cat", "person")) if rng.random() < 0.45
            else noun(PERSON, PERSON, ANIMAL) if physical else noun(PERSON, GROUP),
            "acts": verb(PHYSICAL_VERBS, 2, 22), "does": verb(PHYSICAL_VERBS if physical else NEWS_VERBS, 8),
            "meets": verb(NEWS_VERBS, 9), "what": noun(*thing_files), "where": noun(ARTIFACT, PLACE, OBJECT),
            "how": lexicon.draw(rng, (3, 0)), "topic": noun(*ABSTRACT), "other": noun(PERSON, GROUP),
            "land": rng.choice(lexicon.places), "near": rng.choice(("in", "on", "near", "with", "under", "beside")),
            "number": rng.choice(("two", "three", "four", "several", "some", "many", "5", "12", "30")),
            "the": rng.choice(("a", "a", "the"))}

    scene = (
        "{A who} is {ing acts}.", "{A who} is {ing does} {a what}.",
        "{A who} is {ing does} {a what} {near} {a where}.", "{A how who} is {ing acts} {near} {a where}.",
        "{number} {s who} are {ing does} {a how what}.", "{A what} is being {ed does} by {a who}.",
        "{A who} {s acts} {near} {the} {where}.", "{A who} and {a other} {acts} {near} {the} {where}.",
        "{A how what} {near} {a where}.")
    still = (
        "{A how what} {near} {the} {where}.", "the {what} and the {where} are {how}.",
        "{number} {s what} {near} {a where}.", "{A who} with {a what} {near} {a where}.",
        "close up of {a how what}.")
    news = (
        "{land} {who} {s meets} {other} over {topic}.", "{land} {s does} {how} {topic}.",
        "{number} {s who} {ed meets} in {land}.", "{who} {s does} {topic} in {land}.",
        "the {who} said the {topic} of {land} was {how}.",
        "{land}: {number} {s other} {ed does} in {what} {topic}.", "{land}, {land2} to {does} {topic}.")
    question = (
        "how do i {does} {a what}?", "what is the best way to {does} {a what}?",
        "is it {how} to {does} {a what}?", "should i {acts} with {a who}?", "why does {a who} {does} {topic}?",
        "you can {does} the {what} with {a where}.")
    claim = (
        "the {topic} is {how}.", "it is {how} to {does} the {what}.", "{s who} do not {does} {topic}.",
        "i think that {topic} {s does} {s who}.", "the {who} {ed does} the {what} because of the {topic}.",
        "there is no {how} {topic} in {land}.")
    patterns = {"scene": scene, "still": still, "news": news, "question": question, "claim": claim}[style]

    def say(pattern, value):
        def fill(match):
            *forms, last = match.group(1).split()
            word = value.get(last, last)
            if not forms:
                return word
            if forms[0] in ("ing", "ed", "s"):
                digit = 2 if last in ("acts", "does", "meets") else 1
                return lexicon.inflect(word, digit, forms[0])
            phrase = " ".join(value[f] for f in forms[1:]) + " " + word
            return with_article(phrase.strip()) if value["the"] == "a" else "the " + phrase.strip()
        return re.sub(r"\{([^}]+)\}", fill, pattern)

    value = slots()
    value["land2"] = rng.choice(lexicon.places)
    pattern = rng.choice(patterns)
    family = [say(pattern, value)]
    for _ in range(rng.choice((1, 2, 3))):
        changed, fresh = dict(value), slots()
        used = [k for k in re.findall(r"(\w+)\}", pattern) if k in fresh]
        for slot in rng.sample(used, min(len(used), rng.choice((0, 1, 1, 2)))):
            digit = 2 if slot in ("acts", "does", "meets") else 3 if slot == "how" else 1
            known = (value[slot], digit) in lexicon.near
            changed[slot] = lexicon.neighbour(rng, value[slot], digit) if known and rng.random() < 0.6 else fresh[slot]
        family.append(say(pattern if rng.random() < 0.5 else rng.choice(patterns), changed))
    return list(dict.fromkeys(family))


def build_families(synsets, lexicon, sentences, seed):
    """Returns groups of related sentences for the similarity objective, about `sentences` sentences in all."""
    rng = random.Random(seed)
    families = []
    for s in synsets:
        if is_held_out(s):
            continue
        for example in s.examples:
            other = lexicon.exchange(rng, example) if rng.random() < 0.75 else None
            families.append([example] + ([other] if other else []))
        rare = not s.examples and (s.lexfile in (ANIMAL, PLANT) or s.instance_of)
        if len(s.definition.split()) > 24 or rng.random() < (0.7 if rare else 0.15):
            continue
        draw = rng.random()
        other = s.sentence() if draw < 0.3 else lexicon.exchange(rng, s.definition) if draw < 0.45 else None
        families.append([s.definition] + ([other] if other else []))
    rng.shuffle(families)
    count, kept = 0, []
    for family in families:
        if count < 0.72 * sentences:
            kept.append(family)
            count += len(family)
    while count < sentences:
        kept.append(made_family(rng, lexicon))
        count += len(kept[-1])
    rng.shuffle(kept)
    return kept
