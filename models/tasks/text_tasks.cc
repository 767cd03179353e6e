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

std::vector<TokenLogits> token_logits(const std::vector<TextResult>& windows) {
  std::vector<TokenLogits> logits;
  for (const TextResult& window : windows) logits.push_back({&window.encoding, &window.logits});
  return logits;
}

}  // namespace

std::vector<LabelScore> classify(const Model& model, std::string_view text,
                                 const std::optional<std::string_view>& pair) {
  TextItem item{.text = std::string(text)};
  if (pair) item.pair = *pair;
  return label_scores(model.config(), run_one(model, HeadOptions{.head = Head::kSequenceClassification}, item).logits);
}

std::vector<LabelScore> zero_shot(const Model& model, std::string_view text, std::span<const std::string> labels,
                                  const ZeroShotOptions& options) {
  if (labels.empty()) throw Error(ErrorCode::kInvalidArgument, "no candidate labels, expected at least one");
  const HeadOptions task{.head = Head::kSequenceClassification};
  model.require(task.head);
  entailment_output(model.config());
  TextOptions pairs{.tokenize = default_tokenize_options(model, task)};
  pairs.tokenize->truncation = Truncation::kOnlyFirst;
  std::vector<TextItem> items;
  for (const std::string& label : labels) {
    items.push_back({.text = std::string(text), .pair = hypothesis(options.hypothesis_template, label)});
  }
  std::vector<Logits> logits;
  for (TextResult& result : run(model, task, std::move(items), pairs)) logits.push_back(std::move(result.logits));
  return zero_shot_scores(model.config(), labels, logits, options.multi_label);
}

std::vector<Entity> tag(const Model& model, std::string_view text, const TagOptions& options) {
  const HeadOptions task{.head = Head::kTokenClassification};
  const std::vector<TextResult> windows =
      run(model, task, {{.text = std::string(text)}},
          in_windows(model, task, std::min(options.stride, model.max_length() / 2)));
  return find_entities(model, text, token_logits(windows), options.aggregation);
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
                                   std::span<const std::string_view> documents) {
  std::vector<RankedDocument> ranked;
  std::vector<double> keys;  // by which they are sorted: logits tell scores apart that round to one number
  std::vector<TextItem> items;
  if (reranker.method() == RerankMethod::kClassifier) {
    for (const std::string_view document : documents) items.push_back(reranker.item(query, document));
    for (const TextResult& result : run(model, reranker.task(), std::move(items))) {
      const Relevance relevance = reranker.relevance(result.logits);
      ranked.push_back({ranked.size(), relevance.score});
      keys.push_back(relevance.logit);
    }
  } else {
    items.push_back({.text = std::string(query), .role = TextRole::kQuery});
    for (const std::string_view document : documents) items.push_back({.text = std::string(document)});
    const std::vector<TextResult> results = run(model, reranker.task(), std::move(items));
    for (size_t i = 1; i < results.size(); ++i) {
      ranked.push_back({i - 1, reranker.score(results.front().vectors, results[i].vectors)});
      keys.push_back(ranked.back().score);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const RankedDocument& a, const RankedDocument& b) { return keys[a.index] > keys[b.index]; });
  return ranked;
}

}  // namespace bert
