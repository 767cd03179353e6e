#include "tasks/labels/gliner/gliner.h"

#include <algorithm>
#include <utility>

#include "engine/base/quote.h"
#include "models/encoder/finite.h"
#include "tasks/labels/entity_choice.h"
#include "tokenizer/pre_tokenizer/words.h"

namespace bert {
namespace {

int32_t find_label_token(const GlinerSettings& settings, const Tokenizer& tokenizer) {
  const std::optional<int32_t> id = tokenizer.id(settings.label_token);
  if (settings.label_token_id) {
    if (id != settings.label_token_id) {
      throw Error(ErrorCode::kInvalidFile, std::string(kGlinerConfig) + ": class_token_index " +
                                               std::to_string(*settings.label_token_id) + ", expected " +
                                               (id ? std::to_string(*id) : "a tokenizer with the token") +
                                               ", the id of " + quote(settings.label_token));
    }
    return *id;
  }
  if (!id) throw Error(ErrorCode::kInvalidFile, "tokenizer: no token " + quote(settings.label_token));
  return *id;
}

}  // namespace

Gliner::Gliner(GlinerSettings settings, const ModelConfig& config, const Tokenizer& tokenizer, WeightReader& weights)
    : settings_(std::move(settings)),
      label_token_id_(settings_.labels ? -1 : find_label_token(settings_, tokenizer)),
      layers_(settings_, config.hidden_size, settings_.labels ? settings_.labels->config->hidden_size : 0, weights) {}

std::string Gliner::description() const {
  const std::string words = std::to_string(settings_.max_words) + " words";
  const std::string spans = settings_.form == EntityForm::kWords
                                ? "spans of " + words + " by their beginnings and ends"
                                : "spans of up to " + std::to_string(settings_.max_width) + " of " + words +
                                      (settings_.form == EntityForm::kMarker ? " (marker)" : " (markerV0)");
  return spans + (encodes_labels() ? ", labels by an encoder of their own" : ", labels before the text");
}

std::vector<Offset> Gliner::words(std::string_view text) const { return split_words(text); }

Encoding Gliner::tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                          const TokenizeOptions& options) const {
  const LabelRequest& request = labels.request;
  std::vector<std::string_view> words;
  if (!encodes_labels()) {
    for (const std::string& label : request.labels) words.insert(words.end(), {settings_.label_token, label});
    words.push_back(settings_.separator_token);
  }
  const size_t before = words.size();
  const std::vector<Offset> all = split_words(text);
  const std::span<const Offset> kept = std::span(all).first(std::min(all.size(), settings_.max_words));
  for (const Offset& word : kept) words.push_back(text.substr(word.begin, word.end - word.begin));
  const TokenizeOptions limits{.split_special_tokens = options.split_special_tokens,
                               .max_length = options.max_length,
                               .truncation = options.truncation};
  Encoding encoding = tokenizer.tokenize_words(words, limits);
  encoding.truncated_tokens += all.size() - kept.size();
  if (kept.size() < all.size() && options.truncation == Truncation::kError) {
    throw Error(ErrorCode::kInvalidText, "text of " + std::to_string(all.size()) + " words, expected at most " +
                                             std::to_string(kept.size()) + ", the model's max_len");
  }

  // As in the reference, a word without tokens does not count, and the later words take its place.
  size_t seen = 0;
  int32_t word = kNoWord;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.word_ids[i] == kNoWord) {
      word = kNoWord;
      continue;
    }
    if (encoding.word_ids[i] != word) ++seen;
    word = encoding.word_ids[i];
    if (static_cast<size_t>(word) >= before) {
      const size_t begin = kept[static_cast<size_t>(word) - before].begin;
      encoding.offsets[i].begin += begin;
      encoding.offsets[i].end += begin;
    } else {
      encoding.offsets[i] = {};
    }
    encoding.word_ids[i] = seen <= before ? kNoWord : static_cast<int32_t>(seen - before - 1);
    encoding.sequence_ids[i] = seen <= before ? kNoSequence : 0;
  }
  if (!encodes_labels()) label_rows(encoding, request.labels.size());
  return encoding;
}

// Returns the rows of the labels' markers. These come first; the text may contain that token too.
std::vector<size_t> Gliner::label_rows(const Encoding& encoding, size_t labels) const {
  std::vector<size_t> rows;
  for (size_t i = 0; i < encoding.size() && rows.size() < labels; ++i) {
    if (encoding.ids[i] == label_token_id_) rows.push_back(i + (settings_.reads_label_token ? 0 : 1));
  }
  if (rows.size() < labels || rows.back() >= encoding.size()) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(labels) + " labels take more than the " +
                                                 std::to_string(encoding.size()) +
                                                 " tokens that the model reads, expected room for the text after them");
  }
  return rows;
}

// tokens: [encoding.size(), width];  words: zeros for a word without tokens
void Gliner::gather_words(const Encoding& encoding, ConstMatrixView tokens, MatrixView words) const {
  std::fill_n(words.data, words.rows * words.cols, 0.0f);
  for (size_t begin = 0; begin < encoding.size();) {
    size_t end = begin + 1;
    const int32_t word = encoding.word_ids[begin];
    while (end < encoding.size() && encoding.word_ids[end] == word) ++end;
    const size_t first = std::exchange(begin, end);
    if (word == kNoWord || static_cast<size_t>(word) >= words.rows) continue;
    float* to = words.row(static_cast<size_t>(word));
    std::copy_n(tokens.row(settings_.pooling == WordPooling::kLast ? end - 1 : first), words.cols, to);
    for (size_t row = first + 1; row < end; ++row) {
      const float* from = tokens.row(row);
      if (settings_.pooling == WordPooling::kMean) {
        for (size_t i = 0; i < words.cols; ++i) to[i] += from[i];
      } else if (settings_.pooling == WordPooling::kMax) {
        for (size_t i = 0; i < words.cols; ++i) to[i] = std::max(to[i], from[i]);
      }
    }
    if (settings_.pooling != WordPooling::kMean) continue;
    const auto count = static_cast<float>(end - first);
    for (size_t i = 0; i < words.cols; ++i) to[i] /= count;
  }
}

void Gliner::run(ForwardPass& pass, std::span<const Encoding* const> encodings, std::span<const std::string_view> texts,
                 const PreparedLabels& prepared, ConstMatrixView label_vectors, const LabelResultSink& sink) const {
  const LabelRequest& request = prepared.request;
  pass.run();
  const ProductRunner products(pass.context(), layers_.widest_input());
  const size_t width = layers_.width();
  Matrix projected;
  const ConstMatrixView tokens = layers_.project(pass.hidden(), projected, products);
  const auto tokens_of = [&](size_t text) {
    return tokens.row_range(pass.batch().row_starts[text], pass.batch().length(text));
  };
  std::vector<std::vector<Offset>> places;  // places of each text's words
  std::vector<size_t> starts = {0};
  for (const std::string_view text : texts) {
    places.push_back(split_words(text));
    starts.push_back(starts.back() + std::min(places.back().size(), settings_.max_words));
  }
  Matrix words(starts.back(), width);
  const auto words_of = [&](size_t text) {
    return words.view().row_range(starts[text], starts[text + 1] - starts[text]);
  };
  for (size_t i = 0; i < texts.size(); ++i) gather_words(*encodings[i], tokens_of(i), words_of(i));
  layers_.recur(words.view(), starts, products);

  Matrix own_labels, label_memory;
  ConstMatrixView labels;
  if (encodes_labels()) labels = layers_.project_labels(label_vectors, label_memory, products);
  for (size_t i = 0; i < texts.size(); ++i) {
    const MatrixView of_words = words_of(i);
    LabelResult result;
    if (of_words.rows == 0) {
      sink(i, result);
      continue;
    }
    if (!all_finite({of_words.data, of_words.rows * width})) {
      refuse_not_finite(pass.batch(), i, "the words' vectors");
    }
    if (!encodes_labels()) {
      own_labels = rows_of(tokens_of(i), label_rows(*encodings[i], request.labels.size()));
      labels = std::as_const(own_labels).view();
    }
    if (!all_finite({labels.data, labels.rows * width})) refuse_not_finite(pass.batch(), i, "the labels' vectors");
    const std::vector<ScoredSpan> chosen = choose_entities(layers_.spans(of_words, labels, request.threshold, products),
                                                           of_words.rows, request.nested, request.multi_label);
    for (const ScoredSpan& span : chosen) {
      result.entities.push_back({span.label, {places[i][span.first].begin, places[i][span.last].end}, span.score});
    }
    sink(i, result);
  }
}

}  // namespace bert
