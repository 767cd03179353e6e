"""Compares the drop-in with gliner on a tiny random model that gliner writes, and tests it in presidio's
GLiNERRecognizer."""

import os
import random
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bert_infer.gliner import GLiNER
from reference import gliner_models

LABELS = ["person", "city", "date", "company", "e-mail address"]
WORDS = ("Ada Lovelace lived in London and wrote to Charles Babbage in 1843 about the Analytical-Engine , e-mail "
         "ada@example.org , 東京 Zürich naïve x_1-y2 😀 don't").split(" ")


def tokenizers() -> Path:
    data = os.environ.get("BERT_TEST_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")
    return Path(data) / "tokenizer_json"


@unittest.skipUnless(tokenizers().exists(), "no folder tokenizer_json in BERT_TEST_DATA: the drop-in was not compared")
class Gliner(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        directory = cls.directory = Path(cls.folder.name) / "span"
        gliner_models.make("span", directory, tokenizers())
        cls.theirs, cls.ours = gliner_models.load(directory), GLiNER.from_pretrained(directory, map_location="cpu")
        draw = random.Random(5)
        cls.texts = [" ".join(draw.choice(WORDS) for _ in range(draw.choice([0, 1, 5, 30]))) for _ in range(200)]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def compare(self, ours: list, theirs: list) -> None:
        key = ("start", "end", "label", "text")
        self.assertEqual({tuple(e[k] for k in key) for e in ours}, {tuple(e[k] for k in key) for e in theirs})
        scores = {tuple(e[k] for k in key): e["score"] for e in theirs}
        for entity in ours:
            self.assertAlmostEqual(entity["score"], scores[tuple(entity[k] for k in key)], delta=2e-5)

    def test_entities_are_gliners(self) -> None:
        found = 0
        for flat, multi in ((True, False), (False, False), (True, True)):
            arguments = {"flat_ner": flat, "multi_label": multi, "threshold": 0.6}
            for ours, theirs in zip(self.ours.inference(self.texts, LABELS, **arguments),
                                    self.theirs.inference(self.texts, LABELS, **arguments), strict=True):
                self.compare(ours, theirs)
                found += len(ours)
        self.assertGreater(found, 100)
        sets = [[LABELS[0]], LABELS[1:3], LABELS] + [LABELS[:2]] * 17
        for ours, theirs in zip(self.ours.inference(self.texts[:20], sets),
                                self.theirs.inference(self.texts[:20], sets), strict=True):
            self.compare(ours, theirs)

    def test_presidio_takes_it_unchanged(self) -> None:
        from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
        from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine
        from presidio_analyzer.predefined_recognizers.ner import gliner_recognizer

        class NoNlp(NlpEngine):
            """GLiNERRecognizer reads the text and no NLP artifacts."""

            def load(self): ...
            def is_loaded(self): return True
            def process_text(self, text, language): return NlpArtifacts([], [], [], [], self, language)
            def process_batch(self, texts, language, **_): return ((t, self.process_text(t, language)) for t in texts)
            def is_stopword(self, word, language): return False
            def is_punct(self, word, language): return False
            def get_supported_entities(self): return []
            def get_supported_languages(self): return ["en"]

        def engine(library):
            gliner_recognizer.GLiNER = library
            recognizer = gliner_recognizer.GLiNERRecognizer(
                entity_mapping={"person": "PERSON", "city": "LOCATION"}, threshold=0.6, map_location="cpu",
                model_name=str(self.directory))
            registry = RecognizerRegistry(recognizers=[recognizer], supported_languages=["en"])
            return AnalyzerEngine(registry=registry, nlp_engine=NoNlp(), supported_languages=["en"])

        ours, theirs = engine(GLiNER), engine(type(self.theirs))
        found = 0
        for text in [*self.texts[:150], *(" ".join(self.texts[i : i + 30]) for i in range(0, 150, 3))]:
            a = [(r.entity_type, r.start, r.end) for r in ours.analyze(text, language="en")]
            b = [(r.entity_type, r.start, r.end) for r in theirs.analyze(text, language="en")]
            self.assertEqual(a, b)
            found += len(a)
        self.assertGreater(found, 100)


if __name__ == "__main__":
    unittest.main()
