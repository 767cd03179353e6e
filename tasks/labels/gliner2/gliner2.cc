#include "tasks/labels/gliner2/gliner2.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/encoder/finite.h"
#include "tasks/labels/label_results.h"
#include "tokenizer/pre_tokenizer/words.h"

namespace bert {
namespace {

constexpr const char* kEndOfSchema = "[SEP_TEXT]";
constexpr const char* kTaskMarker = "[P]";
constexpr const char* kEntityMarker = "[E]";
constexpr const char* kClassMarker = "[L]";
constexpr const char* kEntityTask = "entities";
constexpr const char* kClassTask = "category";  // the reference's caller chooses the name
constexpr size_t kFirstLabel = 5, kTask = 1;    // indices of the words before the text: ( [P] task ( [E] label
constexpr size_t kMostCounts = 20;

std::string with_full_stop(std::string_view text) {
  constexpr std::string_view kStops = ".!?";
  const bool has_one = !text.empty() && kStops.find(text.back()) != std::string_view::npos;
  return std::string(text) + (has_one ? "" : ".");
}

std::vector<size_t> marked_rows(const Encoding& encoding) {
  std::vector<size_t> rows;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.special_tokens_mask[i] != 0) rows.push_back(i);
  }
  return rows;
}

}  // namespace

Gliner2::Gliner2(const Gliner2Settings& settings, size_t width, WeightReader& weights) : settings_(settings) {
  const auto two_layers = [&](const std::string& name, const char* second, size_t out) -> TwoLayers {
    return {read_dense(weights, name + ".0", 2 * width, width), read_dense(weights, name + second, out, 2 * width)};
  };
  const bool has_dropout = settings.boundaries && settings.boundaries->has_dropout;
  classifier_ = two_layers("classifier", has_dropout ? ".3" : ".2", 1);
  widest_input_ = 2 * width;
  if (settings.boundaries) {
    boundaries_.emplace(weights, *settings.boundaries, width);
    widest_input_ = std::max(widest_input_, boundaries_->widest_input());
  } else {
    spans_.emplace(Spans{two_layers("count_pred", ".2", kMostCounts),
                         CountQueries(weights, settings.count_layer, width),
                         SpanScorer(weights, "span_rep.span_rep_layer.", true, width, settings.max_width)});
    widest_input_ = std::max({widest_input_, spans_->queries.widest_input(), spans_->scorer.widest_input()});
  }
}

std::vector<std::string> Gliner2::markers() {
  return {"[SEP_STRUCT]", kEndOfSchema, kTaskMarker, "[C]",      kEntityMarker,
          "[R]",          kClassMarker, "[EXAMPLE]", "[OUTPUT]", "[DESCRIPTION]"};
}

std::string Gliner2::description() const {
  const std::string entities =
      boundaries_ ? "spans by their boundaries" : "spans of up to " + std::to_string(settings_.max_width) + " words";
  return entities + ", and classes of texts, labels before the text";
}

std::vector<Offset> Gliner2::words(std::string_view text) const { return split_text_words(text); }

Encoding Gliner2::tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                           const TokenizeOptions& options) const {
  if (options.split_special_tokens.value_or(false)) {
    throw Error(ErrorCode::kInvalidArgument,
                "special tokens of the text as words, expected as tokens: labels are marked by them");
  }
  const bool finds = labels.task == LabelTask::kEntities;
  const std::string whole = with_full_stop(text);
  const std::vector<Offset> places = split_text_words(whole);
  std::vector<std::string> lower;
  lower.reserve(places.size());
  for (const Offset& word : places) {
    lower.push_back(lower_case_text(std::string_view(whole).substr(word.begin, word.end - word.begin)));
  }
  std::vector<std::string_view> words = {"(", kTaskMarker, finds ? kEntityTask : kClassTask, "("};
  for (const std::string& label : labels.request.labels) {
    words.insert(words.end(), {finds ? kEntityMarker : kClassMarker, label});
  }
  words.insert(words.end(), {")", ")", kEndOfSchema});
  const size_t before = words.size(), last_label = kFirstLabel + 2 * (labels.request.labels.size() - 1);
  words.insert(words.end(), lower.begin(), lower.end());
  Encoding encoding = tokenizer.tokenize_words(words, {.add_special_tokens = false,
                                                       .split_special_tokens = false,
                                                       .max_length = options.max_length,
                                                       .truncation = options.truncation,
                                                       .truncation_direction = Direction::kRight});
  size_t markers = 0;
  int32_t last = kNoWord;
  bool has_text = false;
  for (size_t i = 0; i < encoding.size(); ++i) {
    const auto word = static_cast<size_t>(encoding.word_ids[i]);
    const bool is_first = std::exchange(last, encoding.word_ids[i]) != encoding.word_ids[i];
    const bool is_marker = word == kTask || (word + 1 >= kFirstLabel && word < last_label && word % 2 == 0);
    encoding.special_tokens_mask[i] = is_marker && is_first ? 1 : 0;
    markers += encoding.special_tokens_mask[i];
    if (word < before) {
      encoding.offsets[i] = {};
      encoding.word_ids[i] = kNoWord;
      encoding.sequence_ids[i] = kNoSequence;
      continue;
    }
    has_text = true;
    const Offset place = places[word - before];
    const bool keeps_size = lower[word - before].size() == place.end - place.begin;
    const Offset own =
        keeps_size ? Offset{place.begin + encoding.offsets[i].begin, place.begin + encoding.offsets[i].end} : place;
    encoding.offsets[i] = {std::min(own.begin, text.size()), std::min(own.end, text.size())};
    encoding.word_ids[i] = static_cast<int32_t>(word - before);
    encoding.sequence_ids[i] = 0;
  }
  if (markers < labels.request.labels.size() + 1 || !has_text) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(labels.request.labels.size()) +
                                                 " labels take more than the " + std::to_string(options.max_length) +
                                                 " tokens that the model reads, expected room for the text after them");
  }
  return encoding;
}

// A word without tokens gets the vector of the next token if a word's vector is that of its first token; otherwise the
// word does not count, and the later words take its place.
Matrix Gliner2::gather_words(const Encoding& encoding, ConstMatrixView tokens) const {
  const bool takes_first = settings_.pooling == WordPooling::kFirst;
  std::vector<std::pair<size_t, size_t>> ranges;  // tokens of each word
  int32_t last = kNoWord;
  for (size_t i = 0; i < encoding.size(); ++i) {
    const int32_t word = encoding.word_ids[i];
    if (word == kNoWord) continue;
    if (word != last) {
      const size_t missing = takes_first ? static_cast<size_t>(word - last - 1) : 0;
      ranges.insert(ranges.end(), missing + 1, {i, i});
    }
    ranges.back().second = i + 1;
    last = word;
  }
  Matrix words(ranges.size(), tokens.cols);
  for (size_t word = 0; word < ranges.size(); ++word) {
    const auto [begin, end] = ranges[word];
    float* to = words.view().row(word);
    std::copy_n(tokens.row(begin), tokens.cols, to);
    if (takes_first) continue;
    for (size_t row = begin + 1; row < end; ++row) {
      for (size_t i = 0; i < tokens.cols; ++i) {
        const float value = tokens.row(row)[i];
        to[i] = settings_.pooling == WordPooling::kMax ? std::max(to[i], value) : to[i] + value;
      }
    }
    if (settings_.pooling == WordPooling::kMax) continue;
    for (size_t i = 0; i < tokens.cols; ++i) to[i] /= static_cast<float>(end - begin);
  }
  return words;
}

std::vector<ScoredSpan> Gliner2::spans(ConstMatrixView task, ConstMatrixView labels, ConstMatrixView words,
                                       double threshold, const ProductRunner& products) const {
  // so that scores equal to the threshold are included
  const float above = std::nextafter(static_cast<float>(threshold), -1.0f);
  if (boundaries_) return boundaries_->spans(words, labels, static_cast<double>(above), products);
  const Matrix counts = spans_->counts.forward(task, products);
  const float* begin = counts.view().row(0);
  if (std::max_element(begin, begin + counts.cols()) == begin) return {};
  const Matrix queries = spans_->queries.forward(labels, products);
  return spans_->scorer.spans(words, queries.view(), static_cast<double>(above), products);
}

// Leaves out the part of a span on the full stop that was added to the text.
std::vector<FoundEntity> Gliner2::entities(std::vector<ScoredSpan> spans, size_t words, std::string_view text,
                                           const LabelRequest& request) const {
  const OverlapPolicy own = settings_.boundaries ? settings_.boundaries->overlaps : OverlapPolicy::kBestFirst;
  const std::vector<Offset> places = split_text_words(with_full_stop(text));
  const std::vector<std::string>& names = shown_names(request);
  std::vector<FoundEntity> entities;
  for (const ScoredSpan& span :
       choose_for_each_label(std::move(spans), words, request.nested ? OverlapPolicy::kNested : own)) {
    const size_t begin = places[span.first].begin, end = std::min(places[span.last].end, text.size());
    const auto is_same = [&](const FoundEntity& entity) {
      return entity.place == Offset{begin, end} && names[entity.label] == names[span.label];
    };
    if (begin >= end || (end == text.size() && std::any_of(entities.begin(), entities.end(), is_same))) continue;
    entities.push_back({span.label, {begin, end}, span.score});
  }
  return entities;
}

std::vector<FoundClass> Gliner2::classes(ConstMatrixView labels, const LabelRequest& request,
                                         const ProductRunner& products) const {
  const Matrix outputs = classifier_.forward(labels, products);
  const double temperature = settings_.boundaries ? settings_.boundaries->class_temperature : 1;
  std::vector<float> logits;
  for (size_t label = 0; label < labels.rows; ++label) {
    logits.push_back(static_cast<float>(static_cast<double>(outputs.view().row(label)[0]) / temperature));
  }
  return class_scores(logits, request);
}

void Gliner2::run(ForwardPass& pass, std::span<const Encoding* const> encodings,
                  std::span<const std::string_view> texts, const PreparedLabels& labels, ConstMatrixView,
                  const LabelResultSink& sink) const {
  pass.run();
  const ProductRunner products(pass.context(), widest_input_);
  const LabelRequest& request = labels.request;
  for (size_t i = 0; i < texts.size(); ++i) {
    const ConstMatrixView tokens = pass.hidden().row_range(pass.batch().row_starts[i], pass.batch().length(i));
    const Matrix marked = rows_of(tokens, marked_rows(*encodings[i]));
    const ConstMatrixView task = marked.view().row_range(0, 1);
    const ConstMatrixView of_labels = marked.view().row_range(1, marked.rows() - 1);
    if (!all_finite({task.data, marked.rows() * marked.cols()})) {
      refuse_not_finite(pass.batch(), i, "the labels' vectors");
    }
    if (labels.task == LabelTask::kClasses) {
      sink(i, {.classes = classes(of_labels, request, products)});
      continue;
    }
    const Matrix words = gather_words(*encodings[i], tokens);
    if (!all_finite({words.view().data, words.rows() * words.cols()})) {
      refuse_not_finite(pass.batch(), i, "the words' vectors");
    }
    std::vector<ScoredSpan> found = spans(task, of_labels, words.view(), request.threshold, products);
    sink(i, {.entities = entities(std::move(found), words.rows(), texts[i], request)});
  }
}

}  // namespace bert
