"""Makes families of plain sentences of the kinds that people compare, from the frames and words of compared.txt.

A family is a sentence and near copies of it. A copy has another frame, a synonym, another word in one or two places, or
says something else with the same words.
"""

import re
from pathlib import Path

from .lexicon import with_article

AGREEING = {"is": ("is", "are"), "was": ("was", "were"), "has": ("has", "have"), "do": ("does", "do")}
VERB_FORMS = ("ing", "ed", "s")


class Words:
    """The words for one place of a frame. They have one or more parts (`hot;cold`), each with its synonyms."""

    def __init__(self, text):
        self.plural, self.uncounted = text.startswith("*"), text.startswith("+")
        self.parts = [part.strip("*+ ").split(" / ") for part in text.split(";")]


class Topic:
    def __init__(self, weight):
        self.weight, self.slots, self.same, self.other = weight, {}, [], []


def read_topics(path):
    lists, topics, topic = {}, [], None
    for line in path.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            name, weight = line[1:].split("]")
            topic = None if name == "lists" else Topic(float(weight or 1))
            topics += [topic] if topic else []
        elif line[0] in "=!":
            (topic.same if line[0] == "=" else topic.other).append(line[2:].split(" / "))
        else:
            slot, words = line.split(": ", 1)
            named = words.startswith("@")
            slots = lists if topic is None else topic.slots
            slots[slot] = lists[words[1:]] if named else [Words(item) for item in words.split(", ")]
    return topics


class Compared:
    def __init__(self, rng, forms, avoid=lambda sentence: False):
        """forms is a lexicon.Forms. avoid(sentence) returns whether the sentence must not be made, because the model is
        measured on it."""
        self.rng, self.forms, self.avoid = rng, forms, avoid
        self.topics = read_topics(Path(__file__).with_name("compared.txt"))
        self.weights = [topic.weight for topic in self.topics]

    def family(self):
        """Returns one to five different sentences of one topic."""
        topic = self.rng.choices(self.topics, self.weights)[0]
        value = self.draw(topic)
        frame = self.rng.choice(topic.same if self.rng.random() < 0.7 else topic.other)
        made = [self.fill(topic, frame, value)]
        for _ in range(self.rng.choice((1, 2, 2, 3, 4))):
            made.append(self.fill(topic, *self.changed(topic, frame, value)))
        if self.rng.random() < 0.2:
            made = [text.rstrip(".") for text in made]
        return [text for text in dict.fromkeys(made) if not self.avoid(text)]

    def draw(self, topic):
        """Returns {slot: [its Words, a number from 0 to 1 that chooses the synonym]}. Every slot is drawn twice, such
        as `who` and `who2`."""
        value = {}
        for slot, words in topic.slots.items():
            first, second = self.rng.sample(words, 2) if len(words) > 1 else (words[0], words[0])
            value[slot], value[slot + "2"] = [first, self.rng.random()], [second, self.rng.random()]
        return value

    def changed(self, topic, frame, value):
        """Returns a frame and values that differ a little from the given ones."""
        way, value = self.rng.random(), dict(value)
        if way < 0.3 or (way > 0.75 and not topic.other):
            return self.rng.choice(topic.same), value
        if way > 0.75:
            return self.rng.choice(topic.other), value
        used = [name for alternative in frame for group in re.findall(r"\{([^}]+)\}", alternative)
                for name in re.findall(r"[a-z]+2?", group) if name in value]
        fresh = self.draw(topic)
        for name in self.rng.sample(used, min(len(used), self.rng.choice((1, 1, 2)))):
            value[name] = [value[name][0], self.rng.random()] if way < 0.5 else fresh[name]
        return frame if self.rng.random() < 0.6 else self.rng.choice(topic.same), value

    def fill(self, topic, frame, value):
        plural = False

        def words_of(slot):
            name, _, part = slot.partition(".")
            words, number = value[name]
            synonyms = words.parts[int(part or 0)]
            text = synonyms[int(number * len(synonyms))]
            return words, self.fill(topic, [text], value) if "{" in text else text

        def phrase(match):
            nonlocal plural
            names = match.group(1).split()
            before = names.pop(0) if names[0] in ("a", "the", *AGREEING) else None
            after = names.pop() if names[-1] in (*VERB_FORMS, "plural") else None
            drawn = [words_of(name) for name in names]
            words, text = drawn[-1][0], " ".join(text for _, text in drawn)
            if before in AGREEING:
                return AGREEING[before][words.plural]
            if after == "plural":
                start, _, last = text.rpartition(" ")
                return (start + " " + self.forms.inflect(last, 1, "s")).strip()
            if after:
                return self.verb(text, "base" if after == "s" and plural else after)
            plural = words.plural
            if before == "the" and not text.startswith("the "):
                return "the " + text
            return with_article(text) if before == "a" and not (words.plural or words.uncounted) else text
        return re.sub(r"\{([^}]+)\}", phrase, self.rng.choice(frame))

    def verb(self, text, form):
        """Returns the text with its first word, a verb, in that form."""
        first, _, rest = text.partition(" ")
        return (self.forms.inflect(first, 2, form) + " " + rest).strip()
