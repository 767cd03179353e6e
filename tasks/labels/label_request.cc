#include "tasks/labels/label_request.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bert/error.h"
#include "models/model/model_impl.h"
#include "tasks/labels/label_reader.h"
#include "tokenizer/post_processor/truncation.h"

namespace bert {
namespace {

// Returns nullptr if the model does not read labels for the task.
const LabelReader* find_label_reader(const Model::Impl& impl, LabelTask task) {
  const auto* reader = dynamic_cast<const LabelReader*>(impl.encoder.extension.get());
  return reader != nullptr && reader->can(task) ? reader : nullptr;
}

const LabelReader& label_reader(const Model& model, LabelTask task) {
  const Model::Impl& impl = ModelAccess::impl(model);
  if (const LabelReader* reader = find_label_reader(impl, task)) return *reader;
  const bool finds = task == LabelTask::kEntities;
  throw Error(ErrorCode::kUnsupported,
              impl.model_named() + " does not read labels for " +
                  (finds ? "entities, expected a GLiNER model" : "classes, expected a GLiClass model"));
}

[[noreturn]] void refuse_request(const std::string& what) { throw Error(ErrorCode::kInvalidArgument, what); }

void check_request(const LabelRequest& request) {
  if (request.labels.empty()) refuse_request("no labels, expected at least one");
  if (!request.names.empty() && request.names.size() != request.labels.size()) {
    refuse_request(std::to_string(request.names.size()) + " names of labels, expected " +
                   std::to_string(request.labels.size()) + ", one for each");
  }
  if (std::find(request.labels.begin(), request.labels.end(), "") != request.labels.end()) {
    refuse_request("an empty label, expected text in each");
  }
  if (request.labels.size() > LabelRequest::kMaxLabels) {
    refuse_request(std::to_string(request.labels.size()) + " labels, expected at most " +
                   std::to_string(LabelRequest::kMaxLabels));
  }
  if (!(request.threshold >= 0 && request.threshold <= 1)) {
    refuse_request("threshold " + std::to_string(request.threshold) + ", expected 0 to 1");
  }
}

// Keeps each label once, with its first name.
void drop_repeated(LabelRequest& request) {
  LabelRequest once = request;
  once.labels.clear();
  once.names.clear();
  for (size_t i = 0; i < request.labels.size(); ++i) {
    if (std::find(once.labels.begin(), once.labels.end(), request.labels[i]) != once.labels.end()) continue;
    once.labels.push_back(request.labels[i]);
    if (!request.names.empty()) once.names.push_back(request.names[i]);
  }
  request = std::move(once);
}

Matrix encode_labels(const Model& encoder, const std::vector<std::string>& labels, PoolingMode pooling) {
  Matrix vectors(labels.size(), encoder.config().hidden_size);
  const EmbedOptions plain{.pooling = pooling, .normalize = false, .prompt_text = ""};
  for (size_t i = 0; i < labels.size(); ++i) {
    const Encoding encoding = encoder.tokenizer().tokenize(labels[i], {.max_length = encoder.max_length()});
    const TokenSequence sequence = encoder.sequence(encoding);
    const std::vector<float> vector = encoder.embed({&sequence, 1}, plain);
    std::copy(vector.begin(), vector.end(), vectors.view().row(i));
  }
  return vectors;
}

PreparedLabels prepare(const Model& model, LabelTask task, LabelRequest request) {
  label_reader(model, task);
  check_request(request);
  drop_repeated(request);
  PreparedLabels labels;
  labels.task = task;
  labels.request = std::move(request);
  return labels;
}

constexpr size_t kWordsAtOnce = 1024;  // words that are counted at once, with the labels before them

std::string_view part_of(std::string_view text, Offset place) {
  return text.substr(place.begin, place.end - place.begin);
}

// How many tokens each word has, and how many the labels and the special tokens beside a text have.
struct WordCounts {
  std::vector<size_t> tokens;  // for each word
  size_t beside = 0;
};

WordCounts count_words(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                       std::span<const Offset> words, const PreparedLabels& labels, TokenizeOptions options) {
  options.max_length = 0;
  WordCounts counts{std::vector<size_t>(words.size())};
  const size_t most = std::min(kWordsAtOnce, reader.max_words());
  for (size_t first = 0; first < words.size(); first += most) {
    const std::span<const Offset> some = words.subspan(first, std::min(most, words.size() - first));
    const Offset place{some.front().begin, some.back().end};
    const Encoding encoding = reader.tokenize(tokenizer, part_of(text, place), labels, options);
    size_t of_words = 0;
    for (size_t i = 0; i < encoding.size(); ++i) {
      const size_t begin = place.begin + encoding.offsets[i].begin;
      if (encoding.sequence_ids[i] != 0 || begin >= place.end) continue;
      const auto after = std::upper_bound(some.begin(), some.end(), begin,
                                          [](size_t at, const Offset& word) { return at < word.begin; });
      ++counts.tokens[first + static_cast<size_t>(std::max(after, some.begin() + 1) - some.begin()) - 1];
      ++of_words;
    }
    counts.beside = std::max(counts.beside, encoding.size() - of_words);
  }
  return counts;
}

}  // namespace

ConstMatrixView label_vectors(const Model& model, const PreparedLabels& labels) {
  const Model* encoder = ModelAccess::impl(model).second_encoder.get();
  if (encoder == nullptr) return {};
  const PoolingMode pooling = label_reader(model, labels.task).label_pooling().value();
  return labels.vectors->get([&] { return encode_labels(*encoder, labels.request.labels, pooling); });
}

PreparedLabels prepare_labels(const Model& model, LabelRequest request) {
  return prepare(model, LabelTask::kEntities, std::move(request));
}

PreparedLabels prepare_labels(const Model& model, ClassRequest request) {
  return prepare(
      model, LabelTask::kClasses,
      {.labels = std::move(request.labels), .names = std::move(request.names), .multi_label = request.multi_label});
}

Encoding tokenize_with_labels(const Model& model, std::string_view text, const PreparedLabels& labels,
                              const TokenizeOptions& options) {
  return label_reader(model, labels.task).tokenize(model.tokenizer(), text, labels, options);
}

std::vector<LabelWindow> label_windows(const Model& model, std::string_view text, const PreparedLabels& labels,
                                       const TokenizeOptions& options, bool fits_stride) {
  return label_windows(label_reader(model, labels.task), model.tokenizer(), text, labels, options, fits_stride);
}

void find_labels(const Model& model, std::span<const TokenSequence> batch, std::span<const Encoding* const> encodings,
                 std::span<const std::string_view> texts, const PreparedLabels& labels, const LabelResultSink& sink) {
  // Computed before the pass, because the labels are encoded by their own passes, which would have to wait if all
  // passes that may run had begun.
  const ConstMatrixView vectors = label_vectors(model, labels);
  ForwardPass pass = ModelAccess::forward_pass(model, batch);
  label_reader(model, labels.task).run(pass, encodings, texts, labels, vectors, sink);
}

bool reads_labels(const Model& model, LabelTask task) {
  return find_label_reader(ModelAccess::impl(model), task) != nullptr;
}

std::vector<LabelWindow> label_windows(const LabelReader& reader, const Tokenizer& tokenizer, std::string_view text,
                                       const PreparedLabels& labels, const TokenizeOptions& options, bool fits_stride) {
  TokenizeOptions of_window = options;
  of_window.truncation = Truncation::kLongestFirst;
  const auto read = [&](Offset place) {
    return LabelWindow{place, reader.tokenize(tokenizer, part_of(text, place), labels, of_window)};
  };
  std::vector<LabelWindow> windows;
  windows.push_back(read({0, text.size()}));
  const std::vector<Offset> words = reader.words(text);
  if (windows.front().encoding.truncated_tokens == 0 || words.size() < 2) return windows;
  windows.clear();

  const WordCounts counts = count_words(reader, tokenizer, text, words, labels, of_window);
  WindowRoom room{.tokens = SIZE_MAX, .words = reader.max_words(), .stride = options.stride};
  if (options.max_length > 0) room.tokens = options.max_length - std::min(options.max_length, counts.beside);
  if (fits_stride) room.stride = std::min(room.stride, room.tokens / 2);
  if (room.stride > room.tokens / 2) {
    throw Error(ErrorCode::kInvalidArgument,
                "stride " + std::to_string(room.stride) + ": windows of " + std::to_string(options.max_length) +
                    " tokens hold " + std::to_string(room.tokens) + " of the text, expected at most half of that");
  }
  for (TokenRange window{0, 0};; window.begin = next_window(counts.tokens, window, room)) {
    window.end = window_end(counts.tokens, window.begin, room);
    const auto place = [&] {
      return Offset{window.begin == 0 ? 0 : words[window.begin].begin,
                    window.end == words.size() ? text.size() : words[window.end - 1].end};
    };
    LabelWindow next = read(place());
    // In another window a word may have more tokens than where it was counted.
    while (next.encoding.truncated_tokens > 0 && window.end > window.begin + 1) {
      --window.end;
      next = read(place());
    }
    windows.push_back(std::move(next));
    if (options.max_windows > 0 && windows.size() > options.max_windows) {
      throw Error(ErrorCode::kInvalidArgument,
                  "more than " + std::to_string(options.max_windows) + " windows of the text, expected a shorter one");
    }
    if (window.end == words.size()) return windows;
  }
}

}  // namespace bert
