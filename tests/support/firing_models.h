// Makes small models whose tokens do not see each other, so that a word has the same output in every text. A test then
// knows all entities of a text of any length. Their vocabulary is that of tiny_model.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert::test {

// Writes a token classifier that gives each of these words its label, and other tokens "O". A window has 22 tokens of a
// text.
void write_firing_tagger(const TemporaryDirectory& directory, const std::map<std::string, std::string>& labels);

// Writes a GLiNER model of spans of up to 3 words. It finds the label "coding" at each "brown fox" and nowhere else,
// with any other labels. A window has 57 tokens of a text.
void write_firing_gliner(const TemporaryDirectory& directory);

// Returns a text of `words` words. For each i of the list, the words i and i + 1 are "brown fox".
std::string text_with_foxes(size_t words, const std::vector<size_t>& places);

}  // namespace bert::test
