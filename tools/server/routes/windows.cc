#include "tools/server/routes/windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/server/routes/json_body.h"

namespace bert::server {
namespace {

constexpr size_t kMaxWindows = 1024, kMaxWindowTokens = size_t{1} << 20;  // of a text

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

}  // namespace

std::optional<size_t> stride_of(const Json& body) {
  const Json* given = optional_field(body, "stride");
  if (given == nullptr) return std::nullopt;
  if (!given->is_number_unsigned()) throw_type("stride", *given, "a whole number of tokens");
  return given->get<size_t>();
}

WindowScores window_scores_of(const Json& body) {
  const auto word = optional_word(body, "window_scores", {"mean", "largest"});
  return word == "largest" ? WindowScores::kLargest : WindowScores::kMean;
}

void divide_texts(const Call& call, Job& job, const std::optional<size_t>& stride, const MergeWindows& merge,
                  size_t first) {
  if (!stride) return;
  size_t bytes = 0;
  for (size_t i = first; i < job.texts.size(); ++i) bytes += bytes_of(job.texts[i]);
  if (bytes > kMaxWindowedBytes) {
    throw ApiError(Fault::kTooLarge,
                   "the texts to read in windows have " + std::to_string(bytes) + " bytes, expected at most " +
                       std::to_string(kMaxWindowedBytes),
                   "stride");
  }
  const size_t most = std::clamp<size_t>(kMaxWindowTokens / job.model->model.max_length(), 1, kMaxWindows);
  const TextTaskRunner whole_texts = runner_of(job);
  job.request.stride = stride;
  job.request.max_windows = most;
  const TextTaskRunner windows = runner_of(job);
  for (size_t i = 0; i < job.texts.size(); ++i) {
    job.first_windows.push_back(job.windows.size());
    std::vector<TextResult> cut = (i < first ? whole_texts : windows).cut(queued_item(job, i));
    for (TextResult& window : cut) {
      job.window_places.push_back(window.place());
      if (!windows.reads_texts() || window.part) window.text = window.pair = std::string();
    }
    std::move(cut.begin(), cut.end(), std::back_inserter(job.windows));
  }
  job.first_windows.push_back(job.windows.size());
  if (const size_t room = call.facts.queue.max_texts; job.windows.size() > room) {
    throw ApiError(Fault::kTooLarge,
                   std::to_string(job.windows.size()) + " windows, expected at most " + std::to_string(room), "stride");
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
