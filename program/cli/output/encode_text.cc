#include "program/cli/output/encode_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "program/cli/common.h"
#include "program/cli/output/console.h"
#include "program/cli/output/results.h"
#include "tasks/analysis/attention.h"
#include "tasks/analysis/rows.h"

namespace bert::cli {
namespace {

constexpr size_t kFirstValues = 5;
constexpr size_t kMostContacts = 10;
constexpr size_t kLeastDistance = 6;  // nearer residues touch in most proteins

// Returns the first values in columns of equal width, and "…" if there are more.
std::string first_values(std::span<const float> values) {
  std::string text;
  for (size_t i = 0; i < std::min(values.size(), kFirstValues); ++i) {
    const std::string value = fixed(values[i], 4);
    if (i > 0) text += ' ';
    text.append(8 - std::min<size_t>(8, value.size()), ' ');
    text += value;
  }
  return values.size() > kFirstValues ? text + " …" : text;
}

class TextEncodings : public EncodeWriter {
 public:
  TextEncodings(Output& output, const Model& model, bool titles)
      : output_(output), model_(model), titles_(titles), style_(output.style()) {}

  void add(const Sequence& sequence) override {
    if (sequence.error) return output_.write("\n");
    const EncodedSequence& encoded = std::get<EncodedSequence>(sequence.output);
    std::string text;
    if (titles_) text += (any_ ? "\n" : "") + result_title(sequence) + "\n";
    any_ = true;
    text += tokens_text(sequence.tokens.encoding, encoded);
    text += pooled_text(encoded);
    if (!encoded.hidden_states.empty()) text += layers_text(encoded);
    if (!encoded.attentions.empty()) text += attentions_text(encoded);
    if (!encoded.contacts.empty()) text += contacts_text(encoded);
    output_.write(text);
  }

 private:
  std::string tokens_text(const Encoding& encoding, const EncodedSequence& encoded) const {
    const bool has_tokenizer = model_.has_tokenizer();
    Table table({{"#", Align::kRight},
                 {has_tokenizer ? "token" : ""},
                 {"id", Align::kRight},
                 {"segment", Align::kRight},
                 {"norm", Align::kRight},
                 {"   first of " + std::to_string(encoded.hidden) + " values"}});
    const std::span<const float> rows(encoded.last_hidden_state);
    for (size_t t = 0; t < encoded.tokens; ++t) {
      const std::span<const float> row = rows.subspan(t * encoded.hidden, encoded.hidden);
      table.add({std::to_string(t), has_tokenizer ? one_line(model_.tokenizer().token(encoding.ids[t])) : "",
                 std::to_string(encoding.ids[t]), std::to_string(encoding.type_ids[t]), fixed(analysis::norm(row), 3),
                 first_values(row)});
    }
    return table.text(style_);
  }

  static std::string pooled_text(const EncodedSequence& encoded) {
    if (encoded.pooler_output.empty()) return "\npooled output: none, the model has no pooler\n";
    return "\npooled output: norm " + fixed(analysis::norm(encoded.pooler_output), 3) + ", " +
           std::to_string(encoded.pooler_output.size()) + " values" + "\n" + first_values(encoded.pooler_output) + "\n";
  }

  std::string layers_text(const EncodedSequence& encoded) const {
    Table table({{"layer", Align::kRight}, {"mean norm", Align::kRight}, {"   first values of the first token"}});
    const std::span<const float> all(encoded.hidden_states);
    const size_t layer_size = encoded.tokens * encoded.hidden;
    for (size_t layer = 0; layer * layer_size < all.size(); ++layer) {
      const std::span<const float> rows = all.subspan(layer * layer_size, layer_size);
      double sum = 0;
      for (size_t t = 0; t < encoded.tokens; ++t)
        sum += analysis::norm(rows.subspan(t * encoded.hidden, encoded.hidden));
      table.add({std::to_string(layer), fixed(sum / static_cast<double>(encoded.tokens), 3),
                 first_values(rows.first(encoded.hidden))});
    }
    return "\nhidden states (layer 0: the embeddings)\n" + table.text(style_);
  }

  std::string attentions_text(const EncodedSequence& encoded) const {
    const size_t heads = model_.config().num_attention_heads;
    std::vector<Column> columns = {{"layer", Align::kRight}};
    for (size_t h = 0; h < heads; ++h) columns.push_back({"head " + std::to_string(h + 1), Align::kRight});
    Table table(columns);
    const std::span<const float> all(encoded.attentions);
    const size_t head_size = encoded.tokens * encoded.tokens;
    std::vector<size_t> queries(encoded.tokens);
    std::iota(queries.begin(), queries.end(), size_t{0});
    for (size_t layer = 0; layer * heads * head_size < all.size(); ++layer) {
      std::vector<std::string> cells = {std::to_string(layer + 1)};
      for (size_t h = 0; h < heads; ++h) {
        const std::span<const float> weights = all.subspan((layer * heads + h) * head_size, head_size);
        cells.push_back(fixed(analysis::summarize_head(weights, {}, queries).entropy_bits, 2));
      }
      table.add(cells);
    }
    return "\nattentions: mean entropy in bits (0: all weight on one token; " +
           fixed(std::log2(static_cast<double>(encoded.tokens)), 2) + ": uniform)\n" + table.text(style_);
  }

  std::string contacts_text(const EncodedSequence& encoded) const {
    struct Pair {
      size_t first, second;
      float probability;
    };
    std::vector<Pair> pairs;
    const size_t residues = encoded.residues();
    for (size_t i = 0; i < residues; ++i) {
      for (size_t j = i + kLeastDistance; j < residues; ++j) {
        pairs.push_back({i + 1, j + 1, encoded.contacts[i * residues + j]});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.probability > b.probability; });
    pairs.resize(std::min(pairs.size(), kMostContacts));
    Table table({{"residue", Align::kRight}, {"residue", Align::kRight}, {"probability", Align::kRight}});
    for (const Pair& pair : pairs) {
      table.add({std::to_string(pair.first), std::to_string(pair.second), fixed(pair.probability, 4)});
    }
    return "\ncontacts: the most probable ones of residues at least " + std::to_string(kLeastDistance) + " apart\n" +
           table.text(style_);
  }

  Output& output_;
  const Model& model_;
  bool titles_;
  TextStyle style_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<EncodeWriter> make_text_encodings(Output& output, const Model& model, bool titles) {
  return std::make_unique<TextEncodings>(output, model, titles);
}

}  // namespace bert::cli
