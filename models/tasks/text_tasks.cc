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

// The results of all items, in their order. Throws the first one's error.
std::vector<TextResult> run(const Model& model, const TextTask& task, std::vector<TextItem> items,
                            const TextOptions& options = {}) {
  Items source(std::move(items));
  TextPipeline pipeline(model, task, source, options);
  std::vector<TextResult> results;
  for (TextResult result; pipeline.next(result);) {
    if (result.error) throw *result.error;
    results.push_back(std::move(result));
  }
  return results;
}

TextOptions in_windows(const Model& model, const TextTask& task, size_t stride) {
  TextOptions options{.tokenize = default_tokenize_options(model, task), .windows = true};
  options.tokenize->stride = stride;
  return options;
}

TextOptions cut_as(const Model& model, const TextTask& task, const WindowOptions& windows) {
  return windows.stride ? in_windows(model, task, *windows.stride) : TextOptions{};
}

std::vector<TokenLogits> token_logits(const std::vector<TextResult>& windows) {
  std::vector<TokenLogits> logits;
  for (const TextResult& window : windows) logits.push_back({&window.encoding, &window.logits});
  return logits;
}

}  // namespace

std::vector<LabelScore> classify(const Model& model, std::string_view text, const std::optional<std::string_view>& pair,
                                 const WindowOptions& windows) {
  TextItem item{.text = std::string(text)};
  if (pair) item.pair = *pair;
  std::vector<std::vector<LabelScore>> scores;
  const HeadOptions task{.head = Head::kSequenceClassification};
  for (const TextResult& window : run(model, task, {item}, cut_as(model, task, windows))) {
    scores.push_back(label_scores(model.config(), window.logits));
  }
  return merge_windows(scores, windows.scores);
}

std::vector<Entity> find_entities(const Model& model, std::string_view text, const LabelRequest& request,
                                  const WindowOptions& windows) {
  std::vector<WindowEntities> found;
  for (TextResult& window : run(model, request, {{.text = std::string(text)}}, cut_as(model, request, windows))) {
    found.push_back({window.place(), std::move(window.entities)});
  }
  return merge_windows(std::move(found));
}

std::vector<LabelScore> score_labels(const Model& model, std::string_view text, const ClassRequest& request,
                                     const WindowOptions& windows) {
  std::vector<std::vector<LabelScore>> scores;
  for (TextResult& window : run(model, request, {{.text = std::string(text)}}, cut_as(model, request, windows))) {
    scores.push_back(std::move(window.label_scores));
  }
  return merge_windows(scores, windows.scores);
}

std::vector<LabelScore> zero_shot(const Model& model, std::string_view text, std::span<const std::string> labels,
                                  const ZeroShotOptions& options) {
  if (labels.empty()) throw Error(ErrorCode::kInvalidArgument, "no candidate labels, expected at least one");
  const HeadOptions task{.head = Head::kSequenceClassification};
  model.require(task.head);
  entailment_output(model.config());
  TextOptions pairs = cut_as(model, task, options.windows);
  if (!pairs.tokenize) pairs.tokenize = default_tokenize_options(model, task);
  pairs.tokenize->truncation = Truncation::kOnlyFirst;
  std::vector<std::string> hypotheses;
  for (const std::string& label : labels) hypotheses.push_back(hypothesis(options.hypothesis_template, label));
  pairs.tokenize->pair_tokens = most_tokens(model.tokenizer(), hypotheses);
  std::vector<TextItem> items;
  for (const std::string& pair : hypotheses) items.push_back({.text = std::string(text), .pair = pair});
  std::vector<Logits> logits;
  for (TextResult& result : run(model, task, std::move(items), pairs)) logits.push_back(std::move(result.logits));
  return merge_hypotheses(model.config(), labels, logits, options.multi_label, options.windows.scores);
}

std::vector<Entity> tag(const Model& model, std::string_view text, const TagOptions& options) {
  const HeadOptions task{.head = Head::kTokenClassification};
  const std::vector<TextResult> windows =
      run(model, task, {{.text = std::string(text)}},
          in_windows(model, task, std::min(options.stride, model.max_length() / 2)));
  return find_entities(model, text, token_logits(windows), options.aggregation, options.scheme);
}

std::vector<std::vector<MaskCandidate>> fill_masks(const Model& model, std::string_view text,
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
  const TextResult result = run_one(model, task, {.text = std::string(text)});
  if (result.logits.rows == 0) {
    throw Error(ErrorCode::kInvalidText, "no mask, expected " + quote(tokenizer.token(mask), 60) + " in the text");
  }
  return mask_candidates(tokenizer, result.encoding.ids, result.logits, options.top_k, targets);
}

std::vector<Answer> answer(const Model& model, std::string_view question, std::string_view context,
                           const AnswerOptions& options) {
  const HeadOptions task{.head = Head::kQuestionAnswering};
  const size_t tokens = std::min(kAnswerTokens, model.max_length());
  TextOptions windows = in_windows(model, task, std::min(tokens / 2, kAnswerStride));
  windows.tokenize->max_length = tokens;
  windows.tokenize->truncation = Truncation::kOnlySecond;
  const std::vector<TextResult> results =
      run(model, task, {{.text = std::string(question), .pair = std::string(context)}}, windows);
  return find_answers(context, token_logits(results), options);
}

std::vector<RankedDocument> rerank(const Model& model, const Reranker& reranker, std::string_view query,
                                   std::span<const std::string_view> documents, const std::optional<size_t>& stride) {
  std::vector<RankedDocument> ranked;
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
  TextOptions cut = cut_as(model, task, {.stride = stride});
  std::vector<TextItem> items;
  if (reranker.method() == RerankMethod::kClassifier) {
    if (stride) cut.tokenize->truncation = Truncation::kOnlySecond;
    for (const std::string_view document : documents) items.push_back(reranker.item(query, document));
    for (const TextResult& result : run(model, task, std::move(items), cut)) {
      const Relevance relevance = reranker.relevance(result.logits);
      add(result.index, relevance.score, relevance.logit);
    }
  } else {
    const TextResult asked = run_one(model, task, {.text = std::string(query), .role = TextRole::kQuery});
    for (const std::string_view document : documents) items.push_back({.text = std::string(document)});
    for (const TextResult& result : run(model, task, std::move(items), cut)) {
      const double score = reranker.score(asked.vectors, result.vectors);
      add(result.index, score, score);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const RankedDocument& a, const RankedDocument& b) { return keys[a.index] > keys[b.index]; });
  return ranked;
}

}  // namespace bert
