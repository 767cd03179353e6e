// The answers of the live page: for what a reader typed, the page that the program's experiments write about it, with
// the program's own drawings. Used in one thread.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/experiments.h"
#include "bert/explore.h"
#include "bert/model.h"
#include "program/drawings/charts.h"
#include "program/drawings/findings/findings.h"
#include "program/drawings/findings/position_findings.h"
#include "program/drawings/sample_texts.h"
#include "program/drawings/token_drawings.h"

namespace bert_live {

namespace {

constexpr size_t kResults = 24;

using bert::Encoding;
using bert::Model;
using namespace bert::drawings;

const Model& model() {
  static const Model loaded = Model::builtin();
  return loaded;
}

const Model& with_positions(bert::Positions kind) {
  static std::optional<Model> models[4];
  std::optional<Model>& one = models[static_cast<size_t>(kind)];
  if (!one) one.emplace(Model::builtin({.positions = {kind, bert::PositionsAt::kInput}}));
  return *one;
}

std::string fixed(double value, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// What was typed: at most as many tokens as a page draws.
struct Typed {
  std::string text, pair;
  Encoding encoding;

  Typed(std::string first, std::string second)
      : text(std::move(first)), pair(std::move(second)), encoding(model().tokenizer().tokenize(text, pair)) {
    if (pair.empty()) encoding = model().tokenizer().tokenize(text);
    if (encoding.size() > kMaxDrawnTokens) {
      throw bert::Error(bert::ErrorCode::kInvalidText,
                        "the text has " + std::to_string(encoding.size()) + " tokens, expected at most " +
                            std::to_string(kMaxDrawnTokens) + ": more letters than a drawing has room for");
    }
  }
  std::vector<std::string> tokens() const { return shown_tokens(encoding, text, pair, model()); }
};

void add(Page& page, const Findings& findings) {
  page.section(findings.title(), findings.answer());
  findings.add_main(page);
  page.begin_folded("More");
  findings.add_details(page);
  page.end_folded();
}

void tokens(Page& page, const Typed& typed) {
  page.section("Tokens", "The tokenizer cuts the text into " + std::to_string(typed.encoding.size()) +
                             " tokens of the vocabulary. Each has an id, the row of the word table; a place, counted "
                             "from 0; and a segment. The rows of the three tables are added.");
  page.drawing(draw_sum({.tokens = token_labels(typed.encoding, model()),
                         .ids = typed.encoding.ids,
                         .has_positions = true,
                         .segments = typed.encoding.type_ids}));
}

void parts(Page& page, const Typed& typed) {
  const auto composed = bert::token_compositions(model(), model().sequence(typed.encoding));
  add(page, *embedding_findings(composed, typed.tokens(), typed.encoding));
}

// The text and the same words in another order, with each kind of positions.
void moved(Page& page, const Typed& typed) {
  const std::string other = typed.pair.empty() ? typed.text : typed.pair;
  BarChart bars{.title = "How alike the two texts are with each kind of positions", .rows = {}};
  for (const auto& [name, kind] : {std::pair{"learned", bert::Positions::kLearned},
                                   {"sinusoidal", bert::Positions::kSinusoidal},
                                   {"none", bert::Positions::kNone}}) {
    const Model& changed = kind == bert::Positions::kLearned ? model() : with_positions(kind);
    const std::vector<float> a = changed.embed(typed.text), b = changed.embed(other);
    const double cosine = bert::cosine_similarity(a, b);
    bars.rows.push_back({name, {{cosine, Ink::kBlue}}, fixed(cosine, 4)});
  }
  page.section("Two orders of the words", "The cosine of the vectors of “" + typed.text + "” and “" + other +
                                              "”. Without positions a text is a bag of words: the same words in any "
                                              "order have the same vector. The sines say little of sines here: they "
                                              "stand in the place of the learned positions of a model that was not "
                                              "trained with them. Of three small models that were trained with one "
                                              "kind each, another order moves the last vectors by 34 % of their norm "
                                              "(learned), 9 % (sinusoidal) and 0 % (none).");
  page.drawing(draw_bar_chart(bars));
}

void orders(Page& page, const Typed& typed) {
  const Typed alone(typed.text, "");
  const auto compared = bert::compare_orders(model(), with_positions(bert::Positions::kNone), alone.encoding);
  add(page, *order_findings(compared, alone.tokens()));
}

struct Word {
  std::string name;
  int32_t id = 0;
};

Word word_of(const std::string& text) {
  const Encoding encoding = model().tokenizer().tokenize(text, {.add_special_tokens = false});
  if (encoding.size() == 1) return {std::string(model().tokenizer().token(encoding.ids[0])), encoding.ids[0]};
  throw bert::Error(bert::ErrorCode::kInvalidText, "'" + text + "' is " + std::to_string(encoding.size()) +
                                                       " tokens, expected a word of the vocabulary");
}

void words(Page& page, const std::string& text) {
  constexpr size_t kNearest = 8, kMostWords = 4;
  std::vector<Word> given;
  std::istringstream stream(text);
  for (std::string word; stream >> word && given.size() < kMostWords;) given.push_back(word_of(word));
  if (given.empty()) throw bert::Error(bert::ErrorCode::kInvalidText, "no word, expected one or more");
  for (const Word& word : given) {
    const auto nearest = bert::nearest_words(bert::word_cosines(model(), word.id), word.id, kNearest);
    BarChart bars{.title = "The words nearest to " + word.name, .rows = {}};
    for (const bert::WordNeighbor& near : nearest) {
      const std::string cosine = fixed(near.cosine, 3);
      bars.rows.push_back({std::string(model().tokenizer().token(near.id)), {{near.cosine, Ink::kBlue}}, cosine});
    }
    page.section("Near “" + word.name + "”", "The cosine of its row of the word table with the nearest other rows.");
    page.drawing(draw_bar_chart(bars));
  }
  if (given.size() < 2) return;
  Heatmap map{.title = "The cosines of the words",
              .rows_are = "word",
              .columns_are = "word",
              .rows = {},
              .columns = {},
              .values = {}};
  for (const Word& row : given) {
    const std::vector<double> cosines = bert::word_cosines(model(), row.id);
    map.rows.push_back(row.name);
    map.columns.push_back(row.name);
    for (const Word& column : given) map.values.push_back(cosines[static_cast<size_t>(column.id)]);
  }
  page.section("These words", "The cosines of their rows.");
  page.drawing(draw_heatmap(map));
}

void attention(Page& page, const Typed& typed) {
  const auto summary = bert::summarize_attention(model(), typed.encoding);
  add(page, *attention_findings(summary, typed.tokens(), model().config().local_layers));
}

void segments(Page& page, const Typed& typed) {
  const Typed pair = typed.pair.empty() ? Typed(kSamplePair[0], kSamplePair[1]) : typed;
  const auto compared = bert::compare_segments(model(), model().sequence(pair.encoding));
  page.note("Measured on " + quoted_texts(pair.encoding, pair.text, pair.pair) + ".");
  add(page, *segment_findings(compared, readable_tokens(pair.encoding, pair.text, pair.pair, model()),
                              pair.encoding.type_ids));
}

// Uses the program's own sentences: one text alone says nothing about layers.
void layers(Page& page) {
  static const std::unique_ptr<Findings> found = [] {
    static bert::VarianceShares shares;
    bert::VarianceProbe probe;
    for (const std::string_view text : sample_texts()) {
      const Encoding encoding = model().tokenizer().tokenize(text);
      const std::vector<bert::TokenSequence> batch = {model().sequence(encoding)};
      probe.add(encoding, model().encode(batch, {.hidden_states = true}).front());
    }
    shares = probe.shares();
    return variance_findings(shares);
  }();
  page.note("Measured on a hundred English sentences, ten on each of ten subjects.");
  add(page, *found);
}

void positions(Page& page) {
  static const PositionFindings found(model());
  add(page, found);
}

std::string answer_to(const std::string& question, const std::string& text, const std::string& pair) {
  Page page("", "");
  if (question == "words") {
    words(page, text);
  } else if (question == "layers") {
    layers(page);
  } else if (question == "positions") {
    positions(page);
  } else {
    const Typed typed(text, question == "order" ? "" : pair);
    if (question == "tokens") tokens(page, typed);
    if (question == "parts") parts(page, typed);
    if (question == "attention") attention(page, typed);
    if (question == "segments") segments(page, typed);
    if (question == "moved") moved(page, Typed(text, pair));
    if (question == "order") orders(page, typed);
  }
  return page.html();
}

}  // namespace

// Words as in bindings/web/src/calls.cc: the addresses of the question's name, of the text and of the pair, each up to
// its zero byte. Result: the address of a page or of an error's line, which the caller frees. Returns 0, or 1 for an
// error.
extern "C" __attribute__((export_name("answer_question"))) int answer_question(uint32_t* given) {
  const auto text = [&](size_t i) { return std::string(reinterpret_cast<const char*>(given[i])); };
  std::string result;
  int status = 0;
  try {
    result = answer_to(text(0), text(1), text(2));
  } catch (const std::exception& error) {
    result = error.what();
    status = 1;
  }
  char* const copy = static_cast<char*>(std::malloc(result.size() + 1));
  if (copy != nullptr) std::memcpy(copy, result.c_str(), result.size() + 1);
  given[kResults] = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(copy));
  return status;
}

}  // namespace bert_live
