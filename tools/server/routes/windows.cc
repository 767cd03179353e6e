#include "tools/server/routes/windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/server/routes/json_body.h"

namespace bert::server {
namespace {

constexpr size_t kMaxWindowTokens = size_t{1} << 20;  // of a text

// One output for each text, of its windows'.
void merge_outputs(Job& job, const MergeWindows& merge) {
  std::vector<TextOutput> merged;
  for (size_t text = 0; text < job.texts.size(); ++text) {
    const size_t begin = job.first_windows[text], count = job.first_windows[text + 1] - begin;
    const std::span<TextOutput> windows = std::span(job.outputs).subspan(begin, count);
    TextOutput whole;
    for (TextOutput& window : windows) {
      whole.tokens += window.tokens;
      whole.truncated_tokens += window.truncated_tokens;
      whole.coarse_rows += window.coarse_rows;
      if (!window.has_failed() || whole.has_failed()) continue;
      whole.error = std::move(window.error);
      whole.lacks_memory = window.lacks_memory;
      whole.is_too_long = window.is_too_long;
    }
    if (!whole.has_failed()) {
      merge({job, text, windows, std::span(job.window_places).subspan(begin, count), merged}, whole);
    }
    merged.push_back(std::move(whole));
  }
  job.outputs = std::move(merged);
}

// Whether a text surely is one window: no token has less than a character of ASCII.
bool fits(const Job& job, const TextItem& text) {
  const Model& model = job.model->model;
  const bool reads_labels = !std::holds_alternative<HeadOptions>(*job.request.task);
  if (reads_labels || text.ids || text.words || text.pair) return false;
  const size_t added = model.tokenizer().added_special_tokens(false) + 1;  // 1: a mark before the first word
  return text.text.size() + added <= model.max_length() &&
         std::all_of(text.text.begin(), text.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

LongTexts long_texts_of(const Json& body, LongText by_default) {
  LongTexts how{.kind = by_default};
  const auto word = optional_word(body, "long_text", {"windows", "cut", "error"});
  const std::optional<bool> truncate = optional_bool(body, "truncate");
  if (word && truncate)
    throw ApiError(Fault::kInvalid, "'truncate' beside 'long_text', expected one of them", "truncate");
  if (truncate) how.kind = *truncate ? LongText::kCut : LongText::kError;
  if (const Json* stride = optional_field(body, "stride")) {
    if (!stride->is_number_unsigned()) throw_type("stride", *stride, "a whole number of tokens");
    if (word && *word != "windows") {
      throw ApiError(Fault::kInvalid, "'stride' is for 'long_text' windows, found " + *word, "stride");
    }
    how = {.kind = LongText::kWindows, .stride = stride->get<size_t>(), .fits_stride = false};
  }
  if (word) how.kind = *word == "windows" ? LongText::kWindows : *word == "cut" ? LongText::kCut : LongText::kError;
  return how;
}

WindowScores window_scores_of(const Json& body) {
  const auto word = optional_word(body, "window_scores", {"mean", "largest"});
  return word == "largest" ? WindowScores::kLargest : WindowScores::kMean;
}

void divide_texts(const Call& call, Job& job, const LongTexts& how, const MergeWindows& merge, size_t first) {
  job.request.may_truncate = how.kind == LongText::kCut;
  if (how.kind != LongText::kWindows) return;
  const auto begin = job.texts.begin() + static_cast<std::ptrdiff_t>(first);
  if (!how.merges_short && std::all_of(begin, job.texts.end(), [&](const TextItem& text) { return fits(job, text); })) {
    return;
  }
  const TextTaskRunner whole_texts = runner_of(job);
  job.request.stride = how.stride;
  job.request.fits_stride = how.fits_stride;
  job.request.max_windows = std::clamp<size_t>(kMaxWindowTokens / job.model->model.max_length(), 1, how.most_windows);
  const TextTaskRunner windows = runner_of(job);
  size_t bytes = 0;  // of texts with several windows
  bool has_windows = how.merges_short;
  for (size_t i = 0; i < job.texts.size(); ++i) {
    job.first_windows.push_back(job.windows.size());
    std::vector<TextResult> cut = (i < first ? whole_texts : windows).cut(queued_item(job, i));
    if (cut.size() > 1) bytes += bytes_of(job.texts[i]);
    has_windows |= cut.size() > 1 || cut.front().error.has_value();
    if (bytes > kMaxWindowedBytes) {
      throw ApiError(Fault::kTooLarge,
                     "the texts to read in windows have " + std::to_string(bytes) +
                         " bytes or more, expected at most " + std::to_string(kMaxWindowedBytes),
                     "long_text");
    }
    for (TextResult& window : cut) {
      job.window_places.push_back(window.place());
      if (!windows.reads_texts() || window.part) window.text = window.pair = std::string();
    }
    std::move(cut.begin(), cut.end(), std::back_inserter(job.windows));
  }
  job.first_windows.push_back(job.windows.size());
  if (!has_windows) {
    job.windows.clear();
    job.window_places.clear();
    job.first_windows.clear();
    job.request.stride.reset();
    return;
  }
  if (const size_t room = call.facts.queue.max_texts; job.windows.size() > room) {
    throw ApiError(Fault::kTooLarge,
                   std::to_string(job.windows.size()) + " windows, expected at most " + std::to_string(room),
                   "long_text");
  }
  job.merge = [merge](Job& done) { merge_outputs(done, merge); };
}

void merge_entities(const WindowOutputs& windows, TextOutput& whole) {
  std::vector<WindowEntities> found;
  for (size_t i = 0; i < windows.outputs.size(); ++i) {
    found.push_back({windows.places[i], std::move(windows.outputs[i].entities)});
  }
  whole.entities = merge_windows(std::move(found));
}

MergeWindows merge_tagged(Aggregation aggregation, TagScheme scheme) {
  return [=](const WindowOutputs& windows, TextOutput& whole) {
    std::vector<TokenLogits> logits;
    for (const TextOutput& window : windows.outputs) logits.push_back({&window.encoding, &window.logits});
    const Job& job = windows.job;
    whole.entities = find_entities(job.model->model, job.texts[windows.text].text, logits, aggregation, scheme);
  };
}

MergeWindows merge_label_scores(WindowScores how) {
  return [how](const WindowOutputs& windows, TextOutput& whole) {
    std::vector<std::vector<LabelScore>> scores;
    for (TextOutput& window : windows.outputs) scores.push_back(std::move(window.label_scores));
    whole.label_scores = merge_windows(scores, how);
  };
}

void join_logits(const WindowOutputs& windows, TextOutput& whole) {
  whole.logits = {};
  for (const TextOutput& window : windows.outputs) {
    whole.logits.outputs = window.logits.outputs;
    whole.logits.rows += window.logits.rows;
    whole.logits.values.insert(whole.logits.values.end(), window.logits.values.begin(), window.logits.values.end());
  }
}

}  // namespace bert::server
