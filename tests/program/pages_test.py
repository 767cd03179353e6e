"""Opens the pages that --html writes in a headless Chromium, in light, in dark, at three widths and on paper.
Everything drawn must be inside the page, no label may overlap another, and every width must show the same drawings."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import transcripts
from support.chromium import Browser

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("BERT_INFER_PROGRAM", REPOSITORY / "build" / "bert-infer"))
DATA = Path(os.environ.get("BERT_TEST_DATA", REPOSITORY.parent / "shared" / "data"))
CHROMIUM = shutil.which("chromium")
READER = shutil.which("pdftotext")

# This script is added to a copy of the page. It measures all drawn elements, and writes the measures into the document
# that frames the copy.
MEASURE = """
<script>
addEventListener("load", () => {
  const box = (e) => { const r = e.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const style = getComputedStyle(document.body);
  const height = document.documentElement.scrollHeight;
  document.querySelectorAll("details").forEach((e) => { e.open = true; });
  const report = {
    height: height, width: document.documentElement.clientWidth, scroll: document.documentElement.scrollWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches, paper: style.backgroundColor, ink: style.color,
    blocks: [...document.querySelectorAll("h1, h2, p, figure, table, .legend")].map((e) => [e.tagName, box(e)]),
    drawings: [...document.querySelectorAll("figure svg")].filter((svg) => svg.getClientRects().length).map((svg) => ({
      label: svg.getAttribute("aria-label"), box: box(svg), forms: svg.closest("figure").querySelectorAll("svg").length,
      shapes: [...svg.querySelectorAll("rect, line, path:not(.cells path)")].map(
        (e) => [e.tagName, box(e), getComputedStyle(e).fill, getComputedStyle(e).stroke]),
      texts: [...svg.querySelectorAll("text")].map((e) => [e.textContent, box(e), getComputedStyle(e).fill,
        parseFloat(getComputedStyle(e).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width]) })),
    scrolled: [...document.querySelectorAll(".wide")].map((e) => {
      const hint = e.querySelector(".hint").offsetHeight;
      return [e.textContent.slice(0, 200), e.scrollWidth > e.clientWidth + 1, hint];
    }),
  };
  const out = parent.document.createElement("pre");
  out.id = frameElement.name;
  out.textContent = JSON.stringify(report);
  parent.document.body.append(out);
});
</script>
"""

WIDE, TABLET, NARROW = 1280, 768, 390
FRAMES = {
    "light": (WIDE, "light"),
    "tablet": (TABLET, "light"),
    "narrow": (NARROW, "light"),
    "dark": (WIDE, "dark"),
}
SCREEN = 900
# The least size of a drawing's letters as shown, in pixels. A drawing that has only one form is scaled to the width, so
# its letters may be smaller (LEAST_SCALED): this applies to one head with many tokens.
LEAST_TYPE = {WIDE: 14, TABLET: 10, NARROW: 14}
LEAST_SCALED = {WIDE: 9, TABLET: 6, NARROW: 3}
HINT = "scroll it to the right"

PAIR = ("The dog saw a fox.", "It barked at the fox.")
PROBED = "".join(f"{a} {b} {c} .\n" for a in ("the", "a") for b in ("dog", "cat", "fox") for c in ("ran", "sat", "saw"))


def overlap(one, other):
    """Returns whether two boxes share more than half a pixel in both directions."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > 0.5 and down > 0.5


def contrast(one, other):
    """Returns WCAG's contrast of two colours "rgb(r, g, b)"."""

    def luminance(color):
        parts = [int(part) / 255 for part in re.findall(r"\d+", color)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def words_of(text):
    """Returns the words of a text. It joins "5 %" to one word, because pdftotext omits a narrow space."""
    return re.sub(r"\s+%", "%", text).split()


class PageText(HTMLParser):
    """Collects the printed words of a page, and its headings. Folded parts are not printed."""

    def __init__(self, page):
        super().__init__()
        self.words, self.headings, self.tags = Counter(), [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag != "meta":
            names = [name for name in ("hint", "narrow") if ("class", name) in attributes]
            self.tags.append(names[0] if names else tag)

    def handle_endtag(self, tag):
        self.tags.pop()

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_data(self, data):
        if "details" in self.tags or "narrow" in self.tags:
            return
        if self.tags and self.tags[-1] not in ("style", "script", "title", "hint"):
            self.words.update(words_of(data))
        if self.tags and self.tags[-1] in ("h1", "h2", "h3"):
            self.headings.append(data)


@unittest.skipIf(CHROMIUM is None, "no chromium (Debian: chromium): the pages were not looked at")
@unittest.skipUnless(PROGRAM.exists(), "no build/bert-infer: the pages were not made")
class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM, "--hide-scrollbars", "--allow-file-access-from-files")
        cls.addClassCleanup(cls.browser.close)

    def make(self, *command, texts=None, config=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        page = Path(folder.name) / "page.html"
        if texts is not None:
            (Path(folder.name) / "texts").write_text(texts)
            command = [*command, str(Path(folder.name) / "texts")]
        if config is not None:
            (Path(folder.name) / "config.json").write_text(json.dumps(config))
            command = [*command, "--model", folder.name]
        made = subprocess.run([PROGRAM, *command, "--html", page], capture_output=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr.decode())
        return page

    def measure(self, pages):
        """Returns, for each page, a list of what it draws in each frame. All frames are in one document. A page in a
        frame gets the frame's colour scheme as if the reader had chosen it."""
        names = [f"{number}-{name}" for number in range(len(pages)) for name in FRAMES]
        frames = []
        for number, page in enumerate(pages):
            copy = page.with_name("measured.html")
            copy.write_text(page.read_text().replace("</body>", MEASURE + "</body>"))
            frames += [
                f'<iframe name="{number}-{name}" src="{copy.as_uri()}"'
                f' style="width: {width}px; height: 1000px; border: 0; color-scheme: {scheme}"></iframe>'
                for name, (width, scheme) in FRAMES.items()
            ]
        driver = pages[0].with_name("frames.html")
        driver.write_text("<!doctype html><body>" + "".join(frames) + "</body>")
        document = self.browser.document(driver.as_uri())
        measured = dict(re.findall(r'<pre id="([0-9]+-[a-z]+)">(.*?)</pre>', document, re.DOTALL))
        self.assertEqual(sorted(measured), sorted(names), document[:1000])
        reports = [json.loads(html.unescape(measured[name])) for name in names]
        return [reports[first : first + len(FRAMES)] for first in range(0, len(reports), len(FRAMES))]

    def check_layout(self, report):
        self.assertLessEqual(report["scroll"], report["width"], "the page is wider than the window")
        for tag, box in report["blocks"]:
            self.assertGreaterEqual(box[0], 0, tag)
            if tag != "TABLE":  # a wide table scrolls in its own frame
                self.assertLessEqual(box[2], report["width"] + 0.5, tag)
        for drawing in report["drawings"]:
            left, top, right, bottom = drawing["box"]
            self.assertGreater(len(drawing["shapes"]), 0, drawing["label"])
            self.assertGreater(len(drawing["texts"]), 0, drawing["label"])
            self.assertLessEqual(right, report["width"] + 0.5, drawing["label"])
            least = LEAST_TYPE[report["width"]] - 0.01 if drawing["forms"] == 2 else LEAST_SCALED[report["width"]]
            for name, _, _, size in drawing["texts"]:
                self.assertGreaterEqual(size, least, f"{name!r} of {drawing['label']!r}")
            for name, box, *_ in drawing["texts"] + drawing["shapes"]:
                where = f"{name!r} of {drawing['label']!r}: {box} in {drawing['box']}"
                self.assertGreaterEqual(box[0], left - 1, where)
                self.assertGreaterEqual(box[1], top - 1, where)
                self.assertLessEqual(box[2], right + 1, where)
                self.assertLessEqual(box[3], bottom + 1, where)
            texts = sorted(drawing["texts"], key=lambda text: text[1][1])
            for i, (name, box, *_) in enumerate(texts):
                self.assertGreater(box[2] - box[0], 0, f"{name!r} of {drawing['label']!r} is not drawn")
                for other_name, other, *_ in texts[i + 1 :]:
                    if other[1] > box[3]:
                        break
                    self.assertFalse(overlap(box, other), f"{name!r} and {other_name!r} of {drawing['label']!r}")

    def check_hints(self, report):
        """Checks that a table has the hint exactly if it is wider than the page."""
        for start, is_wider, height in report["scrolled"]:
            self.assertIn(HINT, start)
            self.assertEqual(height > 10, is_wider, f"{start!r} at {report['width']} pixels: a hint of {height}")
            self.assertEqual(height > 0, is_wider, start)

    def check_colors(self, report, dark):
        self.assertEqual(report["dark"], dark)
        self.assertGreater(contrast(report["ink"], report["paper"]), 7)
        lightness = sum(int(part) for part in re.findall(r"\d+", report["paper"])[:3])
        self.assertEqual(lightness < 384, dark, report["paper"])
        for drawing in report["drawings"]:
            for name, _, fill, _ in drawing["texts"]:
                self.assertGreater(contrast(fill, report["paper"]), 3, f"{name!r} of {drawing['label']!r}")

    def check(self, *pages):
        """Checks pairs of a page and its number of drawings. Returns the first page's report in light colours."""
        reports = self.measure([page for page, _ in pages])
        for (_, drawings), (light, tablet, narrow, dark) in zip(pages, reports):
            for report, is_dark in ((light, False), (dark, True)):
                self.assertEqual(report["width"], WIDE)
                self.assertEqual(len(report["drawings"]), drawings)
                self.check_layout(report)
                self.check_hints(report)
                self.check_colors(report, is_dark)
            colors = [
                {(shape[2], shape[3]) for drawing in report["drawings"] for shape in drawing["shapes"]}
                for report in (light, dark)
            ]
            self.assertNotEqual(colors[0], colors[1])
            for report, width in ((tablet, TABLET), (narrow, NARROW)):
                self.assertEqual(report["width"], width)
                self.check_layout(report)
                self.check_hints(report)
                labels = [[drawing["label"] for drawing in each["drawings"]] for each in (light, report)]
                self.assertEqual(*labels)
        return reports[0][0]

    def heads(self, page):
        """Returns how many drawings of the built-in model's heads the page has: the scale twice, the most telling
        heads, the overview, the entropies, and every head."""
        telling = page.read_text().count("<figcaption>layer ")
        self.assertIn(telling, (2, 3, 4))
        return 2 + telling + 2 + 12 * 5

    def check_bars(self, pages):
        """Checks that at each width the bars of a chart have the same lengths relative to the longest bar."""
        for frames in self.measure(pages):
            widths = []
            for report in frames:
                bars = [box[2] - box[0] for tag, box, *_ in report["drawings"][0]["shapes"] if tag == "rect"]
                widths.append([round(bar / max(bars), 2) for bar in bars])
            self.assertGreater(len(set(widths[0])), 1)
            for other in widths[1:]:
                for one, another in zip(widths[0], other, strict=True):
                    self.assertAlmostEqual(one, another, delta=0.011)

    def test_bars_say_the_same_at_every_width(self):
        self.check_bars([self.make("neighbors", "king"), self.make("order", "The dog bit the man in the park")])

    def test_explain(self):
        """The page draws the sum of the vectors, their shares, and how far the layers move the tokens."""
        report = self.check((self.make("explain", "The quick brown fox jumps over the lazy dog"), 3))
        boxes, bars = ([shape for shape in report["drawings"][i]["shapes"] if shape[0] == "rect"] for i in (0, 1))
        self.assertEqual(len(boxes), 14 * 4)  # word, position, segment and sum for each token
        self.assertEqual(len(bars), 14 * 3)

    def test_explain_of_texts_that_are_hard_to_lay_out(self):
        text = "東京 <b>&amp; é̂ Donaudampfschifffahrtsgesellschaft \u202eabc 🤷🏽‍♀️ שלום"
        self.check(*((self.make("explain", each), 3) for each in (text, " ".join(["word"] * 62), "")))

    def test_explained_scores(self):
        """Checks the pages of similarity for each kind of explanation (pairs of words, pairs of tokens, words left out,
        entries), and those of search and rerank."""
        corpus = self.make("explain", "a dog").with_name("corpus")
        corpus.write_text("A dog barks.\nUnbelievable cats sleep.\n")
        search = ("search", "--corpus", corpus, "--explain", "A dog sleeps.")
        self.check(
            (self.make("similarity", "--explain", *PAIR), 3),
            (self.make("similarity", "--explain", "Unbelievable <b>&amp;", "東京 Donaudampfschifffahrtsgesellschaft"), 3),
            (self.make("similarity", "--explain", "--pooling", "cls", *PAIR), 2),
            (self.make("similarity", "--explain", "--kind", "sparse", *PAIR), 1),
            (self.make(*search), 2 * 3),
        )

    def test_layers_of_masks(self):
        """The page has a line chart, and a drawing of the words for each mask."""
        self.check(
            (self.make("fill-mask", "--layers", "A dog [MASK] an animal."), 1 + 1),
            (self.make("fill-mask", "--layers", "--top-k", "5", "The [MASK] chased the [MASK]."), 1 + 2),
        )

    def test_importance_of_heads(self):
        self.check((self.make("attention", "--importance", "The dog saw a fox."), 1))

    def test_explained_labels(self):
        model = DATA / "family" / "tiny-rerank"
        if not model.exists():
            self.skipTest("no tiny-rerank (BERT_TEST_DATA)")
        self.check((self.make("rerank", "--model", model, "--explain", *PAIR, "A dog."), 2))

    def test_attention(self):
        page = self.make("attention", "The quick brown fox jumps over the lazy dog")
        report = self.check((page, self.heads(page)))
        telling = report["drawings"][0]["box"]
        self.assertLess(telling[3], SCREEN, "the first head is not on the first screen")

    def test_attention_of_few_and_of_many_tokens(self):
        pages = [self.make("attention", text) for text in ("", " ".join(["word"] * 62))]
        self.check(*((page, self.heads(page)) for page in pages))

    def test_attention_of_some_of_many_tokens(self):
        text = " ".join(["word unbreakable"] * 60)
        pages = [self.make("attention", "--rows", rows, text) for rows in ("5", "0,7,100-120", "58-121")]
        self.check(*((page, self.heads(page)) for page in pages))

    def test_positions(self):
        report = self.check((self.make("positions"), 4))
        for drawing in report["drawings"][:2]:
            map_left = min(shape[1][0] for shape in drawing["shapes"])
            map_right = max(shape[1][2] for shape in drawing["shapes"])
            self.assertGreater(map_right - map_left, 300)
        one, other = (drawing["box"] for drawing in report["drawings"][:2])
        self.assertLess(one[2], other[0], "the two maps are not side by side")

    def test_positions_of_other_kinds(self):
        """The page has a line chart and a map for each kind of layers, or one map for the heads of ALiBi."""
        nomic = {"n_embd": 768, "rotary_scaling_factor": 2, "max_trained_positions": 2048}
        alibi = {"model_type": "bert", "position_embedding_type": "alibi"}
        pages = [
            (self.make("positions", config={"model_type": "modernbert"}), 3),
            (self.make("positions", config={"model_type": "nomic_bert", **nomic}), 4),
            (self.make("positions", config=alibi), 1),
        ]
        if (DATA / "family_modern").exists():
            pages.append((self.make("positions", "--model", DATA / "family_modern" / "deberta-v2"), 2))
            pages.append((self.make("positions", "--model", DATA / "family" / "mpnet"), 5))
        self.check(*pages)

    def test_order(self):
        self.check((self.make("order", "The dog bit the man in the park"), 3))

    def test_segments(self):
        self.check((self.make("segments", *PAIR), 2))

    def test_report(self):
        """The page has the drawings of explain, positions, order, segments, attention and probe. It begins with the
        answers; the rest is folded."""
        page = self.make("report", "--pair", PAIR[1], PAIR[0])
        report = self.check((page, 3 + 4 + 3 + 2 + self.heads(page) + 1))
        self.assertLess(report["height"], 8 * SCREEN)

    def test_probe(self):
        self.check((self.make("probe", texts=PROBED), 1))

    def test_verify_against(self):
        model = transcripts.materials()["bert-tiny-own"]
        if model is None:
            self.skipTest("no bert-tiny-own (BERT_TEST_DATA)")
        self.check((self.make("verify", "--model", model, "--precision", "int8", "--against", model), 3))

    def test_compare(self):
        base, tuned = (transcripts.materials()[name] for name in ("bert-tiny-own", "bert-tiny-own-sst2"))
        if base is None or tuned is None:
            self.skipTest("no bert-tiny-own (BERT_TEST_DATA)")
        self.check((self.make("compare", base, tuned), 6))

    @unittest.skipIf(READER is None, "no pdftotext (Debian: poppler-utils): the printed pages were not read")
    def test_pages_are_printed_whole(self):
        """On both sizes of paper the sheets have every word of the page, and no sheet ends with a heading."""
        long = "The dog bit the man in the park and the quick brown fox jumps over the lazy dog"
        for page in (self.make("explain", long), self.make("order", long), self.make("report", "a dog")):
            text = PageText(page.read_text())
            for paper in ("A4", "letter"):
                sheets = self.print(page, paper)
                with self.subTest(page=text.headings[0], paper=paper):
                    self.assertEqual(text.words - Counter(words_of(" ".join(sheets))), Counter())
                    self.assertNotIn(HINT, " ".join(" ".join(sheets).split()))
                    for sheet in sheets:
                        last = " ".join(sheet.split())
                        self.assertFalse([heading for heading in text.headings if last.endswith(heading)], last[-80:])

    def print(self, page, paper):
        """Returns the text of each sheet of paper."""
        copy, printed = page.with_name("printed.html"), page.with_name("page.pdf")
        copy.write_text(page.read_text().replace("</style>", f"@page {{ size: {paper}; }}</style>"))
        printed.write_bytes(self.browser.printed(copy.as_uri()))
        read = subprocess.run([READER, "-layout", printed, "-"], capture_output=True, check=True)
        return read.stdout.decode().rstrip("\f").split("\f")


if __name__ == "__main__":
    unittest.main()
