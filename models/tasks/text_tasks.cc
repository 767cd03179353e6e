#include "bert/text_tasks.h"

#include <algorithm>
#include <utility>

#include "engine/base/quote.h"

namespace bert {
namespace {

constexpr size_t kAnswerTokens = 384, kAnswerStride = 128;  // of a window, and what two of them share

class Items : public TextSource {
 public:
  explicit Items(std::vector<TextItem> items) : items_(std::move(items)) {}
  State next(TextItem& item, Wait) override {
    if (next_ == items_.size()) return State::kEnd;
    item = std::move(items_[next_++]);
    return State::kItem;
  }

 private:
  std::vector<TextItem> items_;
  size_t next_ = 0;
};

// The results of all items, in their order, and the tokens that were not read. Throws the first one's error.
TaskResults<TextResult> run(const Model& model, const TextTask& task, std::vector<TextItem> items,
                            const TextOptions& options) {
  Items source(std::move(items));
  TextPipeline pipeline(model, task, source, options);
  TaskResults<TextResult> results;
  for (TextResult result; pipeline.next(result);) {
    if (result.error) throw *result.error;
    results.truncated_tokens += result.encoding.truncated_tokens;
    results.push_back(std::move(result));
  }
  return results;
}

// How the texts of a task are read; `by_default`: where the caller does not say.
TextOptions text_options(const Model& model, const TextTask& task, const WindowOptions& given,
                         LongText by_default = LongText::kCut) {
  const LongText long_text = given.long_text.value_or(given.stride ? LongText::kWindows : by_default);
  if (given.stride && long_text != LongText::kWindows) {
    throw Error(ErrorCode::kInvalidArgument,
                "a stride of " + std::to_string(*given.stride) + " without windows, expected none");
  }
  TextOptions options{.tokenize = default_tokenize_options(model, task),
                      .windows = long_text == LongText::kWindows,
                      .fits_stride = !given.stride,
                      .progress = given.progress};
  options.tokenize->max_windows = kMostWindows;
  options.tokenize->stride = given.stride.value_or(kWindowStride);
  if (long_text == LongText::kError) options.tokenize->truncation = Truncation::kError;
  return options;
}

// Where the pair alone may be cut off, or the first text alone.
void cut_only(TextOptions& options, Truncation which) {
  if (options.tokenize->truncation != Truncation::kError) options.tokenize->truncation = which;
}

template <class Item>
TaskResults<Item> results_of(std::vector<Item> items, size_t truncated_tokens) {
  return {std::move(items), truncated_tokens};
}

std::vector<TokenLogits> token_logits(const std::vector<TextResult>& windows) {
  std::vector<TokenLogits> logits;
  for (const TextResult& window : windows) logits.push_back({&window.encoding, &window.logits});
  return logits;
}

}  // namespace

TaskResults<LabelScore> classify(const Model& model, std::string_view text, const std::optional<std::string_view>& pair,
                                 const WindowOptions& windows) {
  TextItem item{.text = std::string(text)};
  if (pair) item.pair = *pair;
  std::vector<std::vector<LabelScore>> scores;
  const HeadOptions task{.head = Head::kSequenceClassification};
  const auto read = run(model, task, {item}, text_options(model, task, windows));
  for (const TextResult& window : read) scores.push_back(label_scores(model.config(), window.logits));
  return results_of(merge_windows(scores, windows.scores), read.truncated_tokens);
}

TaskResults<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request,
                                  const WindowOptions& windows) {
  std::vector<WindowEntities> found;
  auto read =
      run(model, request, {{.text = std::string(text)}}, text_options(model, request, windows, LongText::kWindows));
  for (TextResult& window : read) found.push_back({window.place(), std::move(window.entities)});
  return results_of(merge_windows(std::move(found)), read.truncated_tokens);
}

TaskResults<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request,
                                     const WindowOptions& windows) {
  std::vector<std::vector<LabelScore>> scores;
  auto read = run(model, request, {{.text = std::string(text)}}, text_options(model, request, windows));
  for (TextResult& window : read) scores.push_back(std::move(window.label_scores));
  return results_of(merge_windows(scores, windows.scores), read.truncated_tokens);
}

std::vector<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request) {
  return find_entities(model, text, request, WindowOptions{});
}

std::vector<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request) {
  return score_labels(model, text, request, WindowOptions{});
}

TaskResults<LabelScore> zero_shot(const Model& model, std::string_view text, std::span<const std::string> labels,
                                  const ZeroShotOptions& options) {
  if (labels.empty()) throw Error(ErrorCode::kInvalidArgument, "no candidate labels, expected at least one");
  const HeadOptions task{.head = Head::kSequenceClassification};
  model.require(task.head);
  entailment_output(model.config());
  TextOptions pairs = text_options(model, task, options.windows);
  cut_only(pairs, Truncation::kOnlyFirst);
  std::vector<std::string> hypotheses;
  for (const std::string& label : labels) hypotheses.push_back(hypothesis(options.hypothesis_template, label));
  pairs.tokenize->pair_tokens = most_tokens(model.tokenizer(), hypotheses);
  std::vector<TextItem> items;
  for (const std::string& pair : hypotheses) items.push_back({.text = std::string(text), .pair = pair});
  std::vector<Logits> logits;
  auto read = run(model, task, std::move(items), pairs);
  for (TextResult& result : read) logits.push_back(std::move(result.logits));
  // Each label reads the same part of the text: pair_tokens leaves room for the longest.
  return results_of(merge_hypotheses(model.config(), labels, logits, options.multi_label, options.windows.scores),
                    read.truncated_tokens / labels.size());
}

TaskResults<Entity> tag(const Model& model, std::string_view text, const TagOptions& options) {
  const HeadOptions task{.head = Head::kTokenClassification};
  const WindowOptions windows{.long_text = options.long_text, .stride = options.stride, .progress = options.progress};
  TextOptions cut = text_options(model, task, windows);
  cut.fits_stride = true;
  const auto read = run(model, task, {{.text = std::string(text)}}, cut);
  return results_of(find_entities(model, text, token_logits(read), options.aggregation, options.scheme),
                    read.truncated_tokens);
}

TaskResults<std::vector<MaskCandidate>> fill_masks(const Model& model, std::string_view text,
                                                   const FillMaskOptions& options) {
  const Tokenizer& tokenizer = model.tokenizer();
  const int32_t mask = mask_token_id(tokenizer);
  std::vector<int32_t> targets;
  for (const std::string& target : options.targets) {
    const std::optional<int32_t> id = tokenizer.id(target);
    if (!id) {
      throw Error(ErrorCode::kInvalidArgument,
                  "target " + quote(target, 60) + ": not a token of the model's vocabulary");
    }
    if (std::find(targets.begin(), targets.end(), *id) == targets.end()) targets.push_back(*id);
  }
  const HeadOptions task{.head = Head::kMaskedLm, .logits = {.only_id = mask}};
  if (options.long_text == LongText::kWindows) {
    throw Error(ErrorCode::kInvalidArgument, "masks in windows, expected a text that is cut off or an error");
  }
  const TextOptions cut = text_options(model, task, {.long_text = options.long_text});
  const TextResult result = run_one(model, task, {.text = std::string(text)}, cut);
  check_masks(tokenizer, result.encoding, text);
  return results_of(mask_candidates(tokenizer, result.encoding.ids, result.logits, options.top_k, targets),
                    result.encoding.truncated_tokens);
}

TaskResults<Answer> answer(const Model& model, std::string_view question, std::string_view context,
                           const AnswerOptions& options) {
  const HeadOptions task{.head = Head::kQuestionAnswering};
  const size_t tokens = std::min(kAnswerTokens, model.max_length());
  TextOptions windows = text_options(model, task, {.stride = std::min(tokens / 2, kAnswerStride)});
  windows.tokenize->max_length = tokens;
  cut_only(windows, Truncation::kOnlySecond);
  const auto read = run(model, task, {{.text = std::string(question), .pair = std::string(context)}}, windows);
  return results_of(find_answers(context, token_logits(read), options), read.truncated_tokens);
}

TaskResults<RankedDocument> rerank(const Model& model, const Reranker& reranker, std::string_view query,
                                   std::span<const std::string_view> documents, const WindowOptions& windows) {
  TaskResults<RankedDocument> ranked;
  std::vector<double> keys;  // by which they are sorted: logits tell scores apart that round to one number
  const auto add = [&](size_t index, double score, double key) {
    if (index == ranked.size()) {
      ranked.push_back({index, score});
      keys.push_back(key);
    } else if (key > keys[index]) {  // another window
      ranked[index].score = score;
      keys[index] = key;
    }
  };
  const TextTask task = reranker.task();
  TextOptions cut = text_options(model, task, windows);
  std::vector<TextItem> items;
  if (reranker.method() == RerankMethod::kClassifier) {
    if (cut.windows) cut_only(cut, Truncation::kOnlySecond);
    for (const std::string_view document : documents) items.push_back(reranker.item(query, document));
    const auto read = run(model, task, std::move(items), cut);
    ranked.truncated_tokens = read.truncated_tokens;
    for (const TextResult& result : read) {
      const Relevance relevance = reranker.relevance(result.logits);
      add(result.index, relevance.score, relevance.logit);
    }
  } else {
    const TextOptions of_query = text_options(
        model, task, {.long_text = windows.long_text == LongText::kError ? LongText::kError : LongText::kCut});
    const TextResult asked = run_one(model, task, {.text = std::string(query), .role = TextRole::kQuery}, of_query);
    for (const std::string_view document : documents) items.push_back({.text = std::string(document)});
    const auto read = run(model, task, std::move(items), cut);
    ranked.truncated_tokens = asked.encoding.truncated_tokens + read.truncated_tokens;
    for (const TextResult& result : read) {
      const double score = reranker.score(asked.vectors, result.vectors);
      add(result.index, score, score);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const RankedDocument& a, const RankedDocument& b) { return keys[a.index] > keys[b.index]; });
  return ranked;
}

}  // namespace bert
