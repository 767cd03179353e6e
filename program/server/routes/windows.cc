#include "program/server/routes/windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "program/server/routes/json_body.h"

namespace bert::server {
namespace {

constexpr size_t kMaxWindowTokens = size_t{1} << 20;  // limit for a text

// Makes one output for each text, with the outputs of its windows.
void merge_outputs(Job& job) {
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
      if (window.error) whole.error = job.task->error(*window.error);
      whole.lacks_memory = window.lacks_memory;
      whole.is_too_long = window.is_too_long;
    }
    whole.windows.assign(std::move_iterator(windows.begin()), std::move_iterator(windows.end()));
    merged.push_back(std::move(whole));
  }
  job.outputs = std::move(merged);
}

// Returns whether a text certainly is one window: no token is shorter than one ASCII character.
bool fits(const Job& job, const TextItem& text) {
  const Model& model = job.model->model;
  const bool reads_labels = !std::holds_alternative<HeadOptions>(*job.request.task);
  if (reads_labels || text.ids || text.words || text.pair) return false;
  const size_t added = model.tokenizer().added_special_tokens(false) + 1;  // 1: a mark before the first word
  return text.text.size() + added <= model.max_length() &&
         std::all_of(text.text.begin(), text.text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Divides texts that are too long, if they are to be read in windows, and sets whether other texts may be truncated.
void divide_texts(const Call& call, Job& job, const LongTexts& how) {
  job.request.may_truncate = how.kind == LongText::kCut;
  if (how.kind != LongText::kWindows) return;
  if (!how.merges_short && std::ranges::all_of(job.texts, [&](const TextItem& text) { return fits(job, text); })) {
    return;
  }
  job.request.stride = how.stride;
  job.request.fits_stride = how.fits_stride;
  job.request.max_windows = std::clamp<size_t>(kMaxWindowTokens / job.model->model.max_length(), 1, how.most_windows);
  const TextTaskRunner windows = runner_of(job);
  size_t bytes = 0;  // bytes of texts with several windows
  bool has_windows = how.merges_short;
  for (size_t i = 0; i < job.texts.size(); ++i) {
    job.first_windows.push_back(job.windows.size());
    std::vector<TextResult> cut = windows.cut(queued_item(job, i));
    if (cut.size() > 1) bytes += bytes_of(job.texts[i]);
    has_windows |= cut.size() > 1 || cut.front().error.has_value();
    if (bytes > kMaxWindowedBytes) {
      throw ApiError(Fault::kTooLarge,
                     "the texts to read in windows have " + std::to_string(bytes) +
                         " bytes or more, expected at most " + std::to_string(kMaxWindowedBytes),
                     "long_text");
    }
    for (TextResult& window : cut) {
      job.window_places.push_back(window.input.place());
      if (!windows.reads_texts() || window.input.part) window.input.text = window.input.pair = std::string();
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
  job.merge = merge_outputs;
}

}  // namespace

LongTexts long_texts_of(const Json& body, const TaskSettings& settings, LongText by_default) {
  LongTexts how{.kind = by_default};
  const bool is_chosen = settings.has("long_text");
  const std::optional<bool> truncate = optional_bool(body, "truncate");
  if (is_chosen && truncate) {
    throw ApiError(Fault::kInvalid, "'truncate' beside 'long_text', expected one of them", "truncate");
  }
  if (truncate) how.kind = *truncate ? LongText::kCut : LongText::kError;
  if (settings.has("stride")) {
    how = {.kind = LongText::kWindows, .stride = settings.size("stride"), .fits_stride = false};
  }
  if (is_chosen) how.kind = settings.word<LongText>("long_text", kLongTextWords);
  if (settings.has("stride") && how.kind != LongText::kWindows) {
    throw ApiError(Fault::kInvalid, "'stride' is for 'long_text' windows, found " + settings.text("long_text"),
                   "stride");
  }
  return how;
}

std::shared_ptr<Job> task_job(const Call& call, ServedModelPtr model, TaskCallPtr task, std::vector<TextItem> inputs,
                              const std::string& field, const LongTexts& how) {
  std::vector<TextItem> texts;
  for (TextItem& input : inputs) std::ranges::move(task->items(std::move(input)), std::back_inserter(texts));
  std::shared_ptr<Job> job = new_job(call, std::move(model), task->computation(), std::move(texts), field);
  if (const TextItem* query = task->query()) job->texts.insert(job->texts.begin(), *query);
  TextOptions options{.tokenize = default_tokenize_options(job->model->model, *job->request.task),
                      .windows = how.kind == LongText::kWindows,
                      .fits_stride = how.fits_stride};
  options.tokenize->stride = how.stride;
  task->adjust(options);
  job->request.truncation = options.tokenize->truncation;
  job->request.max_length = options.tokenize->max_length;
  job->request.pair_tokens = options.tokenize->pair_tokens;
  job->request.keeps_encoding = task->reads_tokens();
  job->task = std::move(task);
  LongTexts adjusted = how;
  adjusted.stride = options.tokenize->stride;
  divide_texts(call, *job, adjusted);
  return job;
}

}  // namespace bert::server
