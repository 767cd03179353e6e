// Small models whose tokens do not see each other: what each word is does not depend on the text around it, so that a
// test knows every entity of a text of any length. Their vocabulary is that of tiny_model.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert::test {

// A token classifier that gives each of these words its label, and any other token "O". Windows have 22 tokens of a
// text.
void write_firing_tagger(const TemporaryDirectory& directory, const std::map<std::string, std::string>& labels);

// A GLiNER model of spans with up to 3 words, whose label "coding" is each "brown fox", and nothing else, with any
// label beside it. Windows have 57 tokens of a text.
void write_firing_gliner(const TemporaryDirectory& directory);

// `words` words, with "brown fox" as the words i and i + 1 for each i of the list.
std::string text_with_foxes(size_t words, const std::vector<size_t>& places);

}  // namespace bert::test
