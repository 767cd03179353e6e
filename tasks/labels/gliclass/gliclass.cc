#include "tasks/labels/gliclass/gliclass.h"

#include <algorithm>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "models/encoder/finite.h"
#include "tasks/labels/label_results.h"
#include "tokenizer/pre_tokenizer/words.h"

namespace bert {
namespace {

constexpr const char* kLabel = "<<LABEL>>";
constexpr const char* kSeparator = "<<SEP>>";

void check_marker(const Tokenizer& tokenizer, const char* token, const char* key, int32_t expected) {
  const std::optional<int32_t> id = tokenizer.id(token);
  if (id == expected) return;
  throw Error(ErrorCode::kInvalidFile, std::string("config.json: ") + key + " " + std::to_string(expected) +
                                           ", expected " + (id ? std::to_string(*id) : "a tokenizer with the token") +
                                           ", the id of " + quote(token));
}

// Removes the tokens [begin, begin + count).
void erase_tokens(Encoding& encoding, size_t begin, size_t count) {
  const auto erase = [&](auto& list) {
    if (list.empty()) return;
    const auto first = list.begin() + static_cast<ptrdiff_t>(begin);
    list.erase(first, first + static_cast<ptrdiff_t>(count));
  };
  erase(encoding.ids);
  erase(encoding.type_ids);
  erase(encoding.attention_mask);
  erase(encoding.special_tokens_mask);
  erase(encoding.offsets);
  erase(encoding.code_point_offsets);
  erase(encoding.word_ids);
  erase(encoding.sequence_ids);
  encoding.truncated_tokens += count;
}

// Changes the offsets to places in the text, which is `bytes` of a string, starting at `begin`; tokens outside of the
// text belong to no sequence.
void keep_places_of_text(Encoding& encoding, size_t begin, size_t bytes) {
  int32_t first_word = kNoWord;
  for (size_t i = 0; i < encoding.size(); ++i) {
    Offset& offset = encoding.offsets[i];
    const bool is_text =
        encoding.sequence_ids[i] != kNoSequence && offset.begin >= begin && offset.end <= begin + bytes;
    if (!is_text) {
      encoding.sequence_ids[i] = kNoSequence;
      encoding.word_ids[i] = kNoWord;
      offset = {};
      continue;
    }
    if (first_word == kNoWord) first_word = encoding.word_ids[i];
    offset = {offset.begin - begin, offset.end - begin};
    encoding.word_ids[i] -= first_word;
  }
}

}  // namespace

GliClass::GliClass(ClassSettings settings, const Tokenizer& tokenizer, WeightReader& weights)
    : settings_(std::move(settings)), layers_(settings_, weights) {
  if (settings_.form == ClassForm::kBiEncoder) return;
  check_marker(tokenizer, kLabel, "class_token_index", settings_.label_token_id);
  if (settings_.pools_text_alone) {
    check_marker(tokenizer, kSeparator, "text_token_index", settings_.separator_token_id);
  }
}

std::string GliClass::description() const {
  const std::string place = settings_.labels_first ? "before the text" : "after the text";
  switch (settings_.form) {
    case ClassForm::kUniEncoder:
      return "classes of texts, labels " + place;
    case ClassForm::kBiEncoder:
      return "classes of texts, labels by an encoder of their own";
    case ClassForm::kFusedBiEncoder:
      return "classes of texts, labels by an encoder of their own, then " + place;
  }
  return "";  // there is no other form
}

std::optional<PoolingMode> GliClass::label_pooling() const {
  if (!settings_.labels) return std::nullopt;
  switch (settings_.pooling) {
    case ClassPooling::kLast:
      return PoolingMode::kLastToken;
    case ClassPooling::kMean:
      return PoolingMode::kMean;
    case ClassPooling::kMax:
      return PoolingMode::kMax;
    default:
      return PoolingMode::kCls;
  }
}

std::string GliClass::marks(const LabelRequest& request) const {
  if (settings_.form == ClassForm::kBiEncoder) return "";
  std::string marks;
  for (const std::string& label : request.labels) {
    marks += kLabel;
    if (settings_.form == ClassForm::kUniEncoder) marks += label;
  }
  return marks + kSeparator;
}

std::vector<Offset> GliClass::words(std::string_view text) const { return split_words(text); }

Encoding GliClass::tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                            const TokenizeOptions& options) const {
  const std::string before = settings_.labels_first ? marks(labels.request) : "";
  const std::string after = settings_.labels_first ? "" : marks(labels.request);
  if (options.split_special_tokens.value_or(false) && settings_.form != ClassForm::kBiEncoder) {
    throw Error(ErrorCode::kInvalidArgument,
                "special tokens of the text as words, expected as tokens: labels are marked by them");
  }
  // If no labels follow the text, it can be truncated while it is tokenised.
  Encoding encoding =
      tokenizer.tokenize(before + std::string(text) + after, {.split_special_tokens = options.split_special_tokens,
                                                              .max_length = after.empty() ? options.max_length : 0,
                                                              .truncation = options.truncation,
                                                              .truncation_direction = Direction::kRight});
  keep_places_of_text(encoding, before.size(), text.size());
  if (!after.empty() && options.max_length > 0 && encoding.size() > options.max_length) {
    const size_t excess = encoding.size() - options.max_length;
    size_t end = encoding.size();
    while (end > 0 && encoding.sequence_ids[end - 1] == kNoSequence) --end;
    if (options.truncation == Truncation::kError) {
      throw Error(ErrorCode::kInvalidText, std::to_string(encoding.size()) +
                                               " tokens with the labels, expected at most " +
                                               std::to_string(options.max_length));
    }
    const auto room = static_cast<size_t>(
        std::count_if(encoding.sequence_ids.begin(), encoding.sequence_ids.end(), [](int32_t id) { return id == 0; }));
    erase_tokens(encoding, end - std::min(room, excess), std::min(room, excess));
  }
  const bool has_room = options.max_length == 0 || encoding.size() <= options.max_length;
  if (settings_.form != ClassForm::kBiEncoder &&
      (!has_room || label_rows(encoding).size() < labels.request.labels.size() ||
       std::find(encoding.ids.begin(), encoding.ids.end(), settings_.separator_token_id) == encoding.ids.end())) {
    throw Error(ErrorCode::kInvalidArgument,
                std::to_string(labels.request.labels.size()) + " labels take more than the " +
                    std::to_string(options.max_length) +
                    " tokens that the model reads, expected room for the text beside them");
  }
  return encoding;
}

// Returns the rows of the labels' markers; the text may contain that token too.
std::vector<size_t> GliClass::label_rows(const Encoding& encoding) const {
  std::vector<size_t> rows;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.ids[i] == settings_.label_token_id && encoding.sequence_ids[i] == kNoSequence) rows.push_back(i);
  }
  return rows;
}

// Returns the first row that is pooled for the text.
size_t GliClass::text_row(const Encoding& encoding) const {
  if (!settings_.pools_text_alone) return 0;
  const auto found = std::find(encoding.ids.begin(), encoding.ids.end(), settings_.separator_token_id);
  return static_cast<size_t>(found - encoding.ids.begin());
}

// tokens: [encoding.size(), width];  labels: [labels, width]
void GliClass::gather_labels(const Encoding& encoding, ConstMatrixView tokens, MatrixView labels) const {
  const std::vector<size_t> rows = label_rows(encoding);
  const size_t width = tokens.cols, skipped = settings_.reads_label_token ? 0 : 1;
  const size_t text_begins = settings_.pools_text_alone ? text_row(encoding) : encoding.size();
  for (size_t label = 0; label < labels.rows; ++label) {
    const size_t first = rows[label] + skipped;
    float* to = labels.row(label);
    std::fill_n(to, width, 0.0f);
    if (!settings_.averages_labels) {
      if (first < tokens.rows) std::copy_n(tokens.row(first), width, to);
      continue;
    }
    // The label's tokens end at the next marker, at the text if it is marked, or at the end.
    size_t end = rows[label] + 1;
    while (end < encoding.size() && encoding.ids[end] != settings_.label_token_id && end != text_begins) ++end;
    if (rows[label] > text_begins || first >= end) continue;
    const auto count = static_cast<double>(end - first);
    for (size_t i = 0; i < width; ++i) {
      double sum = 0;
      for (size_t row = first; row < end; ++row) sum += static_cast<double>(tokens.row(row)[i]);
      to[i] = static_cast<float>(sum / count);
    }
  }
}

// Returns the pooled vectors of the texts, [texts, width].
Matrix GliClass::text_vectors(ForwardPass& pass, std::span<const Encoding* const> encodings,
                              const ProductRunner& products) const {
  std::vector<size_t> row_starts = {0}, zeros;
  for (size_t i = 0; i < encodings.size(); ++i) {
    zeros.push_back(text_row(*encodings[i]));
    row_starts.push_back(row_starts.back() + pass.batch().length(i) - zeros.back());
  }
  const size_t width = pass.hidden().cols;
  Matrix rows(row_starts.back(), width);  // without gaps
  for (size_t i = 0; i < encodings.size(); ++i) {
    for (size_t row = row_starts[i]; row < row_starts[i + 1]; ++row) {
      std::copy_n(pass.hidden(i).row(zeros[i] + row - row_starts[i]), width, rows.view().row(row));
    }
  }
  return layers_.texts(std::as_const(rows).view(), row_starts, zeros, products);
}

// Returns the vectors of labels that are read with a text, from their rows.   tokens: the text's, [encoding.size(),
// width]
Matrix GliClass::label_vectors(const Encoding& encoding, ConstMatrixView tokens, size_t labels,
                               const ProductRunner& products) const {
  if (settings_.form == ClassForm::kUniEncoder) {
    Matrix gathered(labels, tokens.cols);
    gather_labels(encoding, tokens, gathered.view());
    return layers_.labels(std::as_const(gathered).view(), products);
  }
  const std::vector<size_t> rows = label_rows(encoding);
  return rows_of(tokens, std::span(rows).first(labels));
}

void GliClass::run(ForwardPass& pass, std::span<const Encoding* const> encodings,
                   std::span<const std::string_view> texts, const PreparedLabels& labels,
                   ConstMatrixView label_vectors_by_encoder, const LabelResultSink& sink) const {
  const LabelRequest& request = labels.request;
  const ProductRunner products(pass.context(), layers_.widest_input());
  Matrix encoded;
  if (settings_.labels) encoded = layers_.encoded_labels(label_vectors_by_encoder, products);
  for (size_t i = 0; i < texts.size() && settings_.form == ClassForm::kFusedBiEncoder; ++i) {
    std::vector<size_t> tokens = label_rows(*encodings[i]);
    for (size_t& token : tokens) token += pass.batch().row_starts[i];
    pass.replace_words(tokens, std::as_const(encoded).view());
  }
  pass.run();

  const Matrix vectors = text_vectors(pass, encodings, products);
  for (size_t i = 0; i < texts.size(); ++i) {
    Matrix own;
    if (settings_.form != ClassForm::kBiEncoder) {
      own = label_vectors(*encodings[i], pass.hidden(i), request.labels.size(), products);
    }
    const Matrix& of_labels = settings_.form == ClassForm::kBiEncoder ? encoded : own;
    const std::vector<float> logits = layers_.logits(vectors.view().row_range(i, 1), of_labels.view(), products);
    if (!all_finite(logits)) refuse_not_finite(pass.batch(), i, "the labels' scores");
    sink(i, {.classes = class_scores(logits, request)});
  }
}

}  // namespace bert
