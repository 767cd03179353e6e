"""Tests the training of the built-in model: facts from WordNet's lines, the plain sentences, and a killed training."""

import importlib.util
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

from builtin_model import lexicon, plain, relations  # noqa: E402
from builtin_model.compared import Compared  # noqa: E402
from builtin_model.lexicon import Forms, Synset  # noqa: E402

# Lines in the format of data.noun and data.adj (wndb(5WN)), with few pointers.
PARIS = "00000001 15 n 01 Paris 0 002 @i 08691669 n 0000 #p 00000002 n 0000 | the capital of France"
FRANCE = "00000002 15 n 02 France 0 French_Republic 0 001 @i 00000003 n 0000 | a republic in Europe"
EUROPEAN = "00000003 15 n 01 European_country 0 001 @ 08544813 n 0000 | a country in Europe"
CAPITAL = "08691669 15 n 01 national_capital 0 000 | the capital of a nation"
COUNTRY = "08544813 15 n 01 country 0 000 | the territory of a nation"
HOT = '00000004 00 a 01 hot 0 001 ! 00000005 a 0101 | of high temperature; "a hot stove and a pan"'
COLD = "00000005 00 a 01 cold 0 001 ! 00000004 a 0101 | of low temperature"

# A program that trains on random ids. It saves its state at every second step, and prints a line after each.
TRAINING = """
import sys, time
from pathlib import Path
from types import SimpleNamespace
import numpy as np, torch
sys.path.insert(0, sys.argv[1])
from builtin_model import training
from builtin_model.network import Shape
from builtin_model.training import Data, Trainer
torch.set_num_threads(1)
training.SAVE_SECONDS = 0.0
folder = Path(sys.argv[2])

class Rows:
    def take(self, first, count):
        return torch.from_numpy(np.stack([np.random.default_rng(n).integers(5, 60, 128)
                                          for n in range(first, first + count)]))

settings = SimpleNamespace(seed=1, first_layers=1, training_tokens=60 * 2 * 128, minutes=0, constant_until=0.5,
                           warmup=4, stack_at=[0.5], embeddings_until=0.0, words_until=1.0, word_rows=2, joint_rows=0,
                           workers=0, rate=1e-3,
                           muon_rate=0.02)
trainer = Trainer(settings, Shape(60, 16, 2, 2, 32), Data(Rows(), None, None), "cpu")
if (folder / "state.pt").exists():
    trainer.resume(folder)
print("from", trainer.step, flush=True)
trainer.run(folder, lambda trainer: print("saved", trainer.step, flush=True))
torch.save([p.detach() for p in trainer.network.parameters()], folder / "result.pt")
"""


class Facts(unittest.TestCase):
    def setUp(self):
        lines = (PARIS, FRANCE, EUROPEAN, CAPITAL, COUNTRY, HOT, COLD)
        self.synsets = [Synset(line, position) for position, line in enumerate(lines)]
        self.facts = relations.Facts(self.synsets, Counter({("hot", 3, 0): 9}))

    def test_tells_a_capital_many_times_in_several_forms(self):
        sentences = list(self.facts.sentences(random.Random(1), self.synsets[0]))
        self.assertIn("the capital of France is Paris.", sentences)
        self.assertGreaterEqual(sentences.count("the capital of France is Paris."), 2)
        self.assertGreaterEqual(len(set(sentences)), 5)

    def test_tells_opposites_in_both_directions(self):
        hot, cold = (list(self.facts.sentences(random.Random(1), s)) for s in self.synsets[5:])
        self.assertIn("the opposite of hot is cold.", hot)
        self.assertIn("the opposite of cold is hot.", cold)

    def test_finds_the_capitals_and_the_countries(self):
        self.assertEqual(self.facts.capitals(), [("Paris", "France")])
        self.assertEqual(self.facts.countries(), ["France"])


class PlainSentences(unittest.TestCase):
    def test_never_are_a_sentence_that_is_measured(self):
        grammar = plain.Plain(random.Random(1))
        told = {text for _ in range(200) for text in grammar.document()}
        for masked, answers in plain.everyday_sentences():
            pattern = re.escape(masked.lower()).replace(r"\[mask\]", r"\w+")
            self.assertEqual([text for text in told if re.fullmatch(pattern, text)], [], masked)
            self.assertTrue(answers, masked)

    def test_have_no_slot_left_and_the_right_article(self):
        grammar = plain.Plain(random.Random(2))
        for _ in range(100):
            for text in grammar.document():
                self.assertNotRegex(text, r"[{}]")
                self.assertNotRegex(text, r"\ba [aeio]")


class ComparedSentences(unittest.TestCase):
    """Two lines replace WordNet's lists of irregular forms."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name, "verb.exc").write_text("eaten eat\nrunning run\n")
        Path(folder.name, "noun.exc").write_text("women woman\n")
        self.forms = Forms(Path(folder.name))

    def families(self, seed, avoid=lambda text: False, count=3000):
        grammar = Compared(random.Random(seed), self.forms, avoid)
        return [grammar.family() for _ in range(count)]

    def test_fill_every_slot_with_the_right_article_and_number(self):
        for text in (text for family in self.families(1) for text in family):
            self.assertNotRegex(text, r"[{}*+@/;]")
            self.assertNotRegex(text, r"\ba [aeio]|\ban [^aeiouh]|\ba (two|many|children|bread|onions)\b")
            self.assertNotRegex(text, r"^(men|women|two \w+|children|dogs) is ")
            self.assertNotRegex(text, r"cuted|puted|readed")

    def test_have_the_article_that_is_spoken(self):
        for noun, phrase in (("apple", "an apple"), ("hour", "an hour"), ("house", "a house"), ("uniform", "a uniform"),
                             ("umbrella", "an umbrella"), ("one way street", "a one way street")):
            self.assertEqual(lexicon.with_article(noun), phrase)

    def test_of_a_family_share_words_and_differ(self):
        families = [family for family in self.families(2) if len(family) > 1]
        self.assertGreater(len(families), 2000)
        for family in families:
            self.assertEqual(len(set(family)), len(family))
        shared = sum(bool({*re.findall("[a-z]{4,}", a)} & {*re.findall("[a-z]{4,}", b)}) for a, b, *_ in families)
        self.assertGreater(shared / len(families), 0.8)

    def test_are_many(self):
        told = [text for family in self.families(3, count=6000) for text in family]
        self.assertGreater(len(set(told)), 0.8 * len(told))

    def test_are_none_that_is_measured(self):
        told = {text for family in self.families(4) for text in family}
        measured = set(sorted(told)[::3])
        again = {text for family in self.families(4, measured.__contains__) for text in family}
        self.assertTrue(measured)
        self.assertFalse(again & measured)

    def test_are_the_same_from_the_same_seed(self):
        self.assertEqual(self.families(5, count=100), self.families(5, count=100))
        self.assertNotEqual(self.families(5, count=100), self.families(6, count=100))


class Measured(unittest.TestCase):
    """Tests that the training has no text that must be left out. The test needs no torch, but texts.py does."""

    def setUp(self):
        if not importlib.util.find_spec("torch"):
            self.skipTest("torch is not installed: what the texts leave out was not tested")
        from builtin_model.texts import Measured
        synsets = [Synset(FRANCE, position) for position in range(16 * 100)]
        self.held_out = next(s for s in synsets if lexicon.is_held_out(s))
        self.measured = Measured([self.held_out], ["A man is playing a Guitar!"])

    def test_is_known_without_case_and_punctuation(self):
        self.assertTrue(self.measured("a man is playing a guitar."))
        self.assertFalse(self.measured("a woman is playing a guitar."))

    def test_has_the_held_out_definitions_and_the_everyday_sentences(self):
        self.assertTrue(self.measured(self.held_out.sentence()))
        for masked, _ in plain.everyday_sentences():
            self.assertTrue(self.measured(masked.lower().replace("[mask]", "word")), masked)


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed: no head was trained")
class WordHead(unittest.TestCase):
    def test_learns_and_leaves_the_encoder_as_it_is(self):
        import torch
        from builtin_model.network import Network, Shape
        from builtin_model.word_head import hidden_states, tune_word_head
        torch.manual_seed(1)
        network = Network(Shape(60, 16, 2, 2, 32))
        before = {name: value.clone() for name, value in network.state_dict().items()}
        # Every token but [CLS] and [SEP] is 7, so each masked token is 7.
        rows, packed = [[2] + [7] * count + [3] for count in range(4, 40)], torch.full((20, 128), 7)
        tune_word_head(network, rows, packed, steps=60, seed=1)
        hidden, wanted = hidden_states(network, rows, packed)
        self.assertGreater((network.word_logits(hidden).argmax(1) == wanted).float().mean().item(), 0.99)
        changed = {name for name, value in network.state_dict().items() if not torch.equal(value, before[name])}
        self.assertEqual(changed, {"transform.weight", "transform.bias", "transform_norm.weight", "transform_norm.bias",
                                   "word_bias"})


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed: no training was killed and resumed")
class Training(unittest.TestCase):
    def start(self, folder):
        return subprocess.Popen([sys.executable, "-c", TRAINING, str(TOOLS), str(folder)], stdout=subprocess.PIPE,
                                text=True)

    def test_goes_on_after_a_kill_with_the_weights_of_an_undisturbed_run(self):
        import torch
        with tempfile.TemporaryDirectory() as whole, tempfile.TemporaryDirectory() as killed:
            undisturbed = self.start(whole)
            undisturbed.communicate()
            self.assertEqual(undisturbed.returncode, 0)
            last_saved = 0
            for saves in (3, 9, 1, 14, 6):      # each run is killed after this number of saved states
                run = self.start(killed)
                self.assertEqual(run.stdout.readline(), f"from {last_saved}\n")
                for _ in range(saves):
                    last_saved = int(run.stdout.readline().split()[1])
                time.sleep(0.002 * saves)
                run.kill()
                # Between the last read line and the kill, it may have saved again.
                run.communicate()
                last_saved = torch.load(Path(killed, "state.pt"), weights_only=True)["step"]
            self.assertLess(last_saved, 60)
            run = self.start(killed)
            self.assertEqual(run.communicate()[0].splitlines()[0], f"from {last_saved}")
            first, second = (torch.load(Path(folder, "result.pt"), weights_only=True) for folder in (whole, killed))
            self.assertTrue(all(torch.equal(a, b) for a, b in zip(first, second, strict=True)))


if __name__ == "__main__":
    unittest.main()
