#include "bert/text_tasks.h"

#include <utility>

#include "bert/redact.h"
#include "bert/task_settings.h"

namespace bert {
namespace {

// Calls use(output) with the result of each input, in order. Returns the number of tokens that were not read. Throws
// the error of the first failed text.
template <class Use>
size_t run_call(const Model& model, const TaskCall& call, const std::vector<TextItem>& inputs,
                const TextOptions& options, const Use& use) {
  TextItems source(inputs);
  TaskRun run(model, call, source, options);
  size_t truncated = 0;
  while (run.next()) {
    if (const auto error = run.error()) throw Error(*error);
    use(run.result());
    truncated += run.truncated_tokens();
  }
  return truncated;
}

// Returns the results of a task for one input.
template <class Item>
TaskResults<Item> results_of(const Model& model, const TaskCallPtr& call, TextItem input, const TextOptions& options) {
  TaskResults<Item> results;
  std::vector<TextItem> inputs;
  inputs.push_back(std::move(input));
  results.truncated_tokens = run_call(model, *call, inputs, options, [&](TaskOutput output) {
    static_cast<std::vector<Item>&>(results) = std::get<std::vector<Item>>(std::move(output));
  });
  return results;
}

template <class Item>
TaskResults<Item> results_of(const Model& model, const TaskCallPtr& call, TextItem input, const WindowOptions& windows,
                             LongText by_default = LongText::kCut) {
  return results_of<Item>(model, call, std::move(input), text_options(model, *call, windows, by_default));
}

}  // namespace

TextOptions text_options(const Model& model, const TaskCall& call, const WindowOptions& given, LongText by_default) {
  const LongText long_text = given.long_text.value_or(given.stride ? LongText::kWindows : by_default);
  if (given.stride && long_text != LongText::kWindows) {
    throw Error(ErrorCode::kInvalidArgument,
                "a stride of " + std::to_string(*given.stride) + " without windows, expected none");
  }
  TextOptions options{.tokenize = default_tokenize_options(model, call.computation()),
                      .windows = long_text == LongText::kWindows,
                      .fits_stride = !given.stride,
                      .progress = given.progress};
  options.tokenize->max_windows = kMostWindows;
  options.tokenize->stride = given.stride.value_or(kWindowStride);
  if (long_text == LongText::kError) options.tokenize->truncation = Truncation::kError;
  call.adjust(options);
  return options;
}

TaskResults<LabelScore> classify(const Model& model, std::string_view text, const std::optional<std::string_view>& pair,
                                 const WindowOptions& windows) {
  TextItem item{.text = std::string(text)};
  if (pair) item.pair = *pair;
  return results_of<LabelScore>(model, classify_call(model, {}, {.scores = windows.scores}), std::move(item), windows);
}

TaskResults<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request,
                                  const WindowOptions& windows) {
  return results_of<Entity>(model, tag_call(model, request), {.text = std::string(text)}, windows, LongText::kWindows);
}

TaskResults<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request,
                                     const WindowOptions& windows) {
  return results_of<LabelScore>(model, classify_call(model, request, {.scores = windows.scores}),
                                {.text = std::string(text)}, windows);
}

std::vector<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request) {
  return find_entities(model, text, request, WindowOptions{});
}

std::vector<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request) {
  return score_labels(model, text, request, WindowOptions{});
}

TaskResults<LabelScore> zero_shot(const Model& model, std::string_view text, std::span<const std::string> labels,
                                  const ZeroShotOptions& options) {
  return results_of<LabelScore>(model, zero_shot_call(model, {labels.begin(), labels.end()}, options),
                                {.text = std::string(text)}, options.windows);
}

TaskResults<Entity> tag(const Model& model, std::string_view text, const TagOptions& options) {
  const TaskCallPtr call = tag_call(model, {options.aggregation, options.scheme});
  const WindowOptions windows{.long_text = options.long_text, .stride = options.stride, .progress = options.progress};
  return results_of<Entity>(model, call, {.text = std::string(text)}, windows);
}

TaskResults<std::vector<MaskCandidate>> fill_masks(const Model& model, std::string_view text,
                                                   const FillMaskOptions& options) {
  const TaskCallPtr call = fill_mask_call(model, options.top_k, target_ids(model.tokenizer(), options.targets));
  if (options.long_text == LongText::kWindows) {
    throw Error(ErrorCode::kInvalidArgument, "masks in windows, expected a text that is cut off or an error");
  }
  return results_of<std::vector<MaskCandidate>>(model, call, {.text = std::string(text)},
                                                WindowOptions{.long_text = options.long_text});
}

TaskResults<Answer> answer(const Model& model, std::string_view question, std::string_view context,
                           const AnswerOptions& options) {
  return results_of<Answer>(model, answer_call(model, options),
                            {.text = std::string(question), .pair = std::string(context)},
                            WindowOptions{.long_text = LongText::kWindows});
}

TaskResults<RankedDocument> rerank(const Model& model, const Reranker& reranker, std::string_view query,
                                   std::span<const std::string_view> documents, const WindowOptions& windows) {
  const TaskCallPtr call = rerank_call(model, reranker, std::string(query));
  std::vector<TextItem> inputs;
  for (const std::string_view document : documents) inputs.push_back({.text = std::string(document)});
  TaskResults<RankedDocument> ranked;
  std::vector<Relevance> found;
  ranked.truncated_tokens = run_call(model, *call, inputs, text_options(model, *call, windows),
                                     [&](const TaskOutput& output) { found.push_back(std::get<Relevance>(output)); });
  for (const size_t place : best_first(found)) ranked.push_back({place, found[place].score});
  return ranked;
}

RedactedText redact(const Model& model, std::string_view text, const Redactor& redactor, const RedactOptions& options) {
  const WindowOptions windows{.long_text = LongText::kWindows, .stride = options.stride};
  return redactor.redact(text,
                         results_of<Entity>(model, redact_call(model, options), {.text = std::string(text)}, windows));
}

}  // namespace bert
