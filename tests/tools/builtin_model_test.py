"""The training of the built-in model: facts from WordNet's lines, the plain sentences, and a run that is killed."""

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

from builtin_model import plain, relations  # noqa: E402
from builtin_model.lexicon import Synset  # noqa: E402

# Lines in the format of data.noun and data.adj (wndb(5WN)), with few pointers.
PARIS = "00000001 15 n 01 Paris 0 002 @i 08691669 n 0000 #p 00000002 n 0000 | the capital of France"
FRANCE = "00000002 15 n 02 France 0 French_Republic 0 001 @i 00000003 n 0000 | a republic in Europe"
EUROPEAN = "00000003 15 n 01 European_country 0 001 @ 08544813 n 0000 | a country in Europe"
CAPITAL = "08691669 15 n 01 national_capital 0 000 | the capital of a nation"
COUNTRY = "08544813 15 n 01 country 0 000 | the territory of a nation"
HOT = '00000004 00 a 01 hot 0 001 ! 00000005 a 0101 | of high temperature; "a hot stove and a pan"'
COLD = "00000005 00 a 01 cold 0 001 ! 00000004 a 0101 | of low temperature"

# A training by tokens, on random ids; it saves its state at every second step, and prints when it has.
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
                           warmup=4, stack_at=[0.5], embeddings_until=0.0, words_until=1.0, word_rows=2, rate=1e-3,
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
            for saves in (3, 9, 1, 14, 6):      # killed after so many saved states
                run = self.start(killed)
                self.assertEqual(run.stdout.readline(), f"from {last_saved}\n")
                for _ in range(saves):
                    last_saved = int(run.stdout.readline().split()[1])
                time.sleep(0.002 * saves)
                run.kill()
                # It may have saved more between the last line that was read and the kill.
                run.communicate()
                last_saved = torch.load(Path(killed, "state.pt"), weights_only=True)["step"]
            self.assertLess(last_saved, 60)
            run = self.start(killed)
            self.assertEqual(run.communicate()[0].splitlines()[0], f"from {last_saved}")
            first, second = (torch.load(Path(folder, "result.pt"), weights_only=True) for folder in (whole, killed))
            self.assertTrue(all(torch.equal(a, b) for a, b in zip(first, second, strict=True)))


if __name__ == "__main__":
    unittest.main()
