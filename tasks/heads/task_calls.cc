#include "bert/task_calls.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/quote.h"

namespace bert {
namespace {

std::vector<TokenLogits> token_logits(std::span<const TaskSequence> sequences) {
  std::vector<TokenLogits> logits;
  for (const TaskSequence& one : sequences) logits.push_back({one.encoding, &std::get<Logits>(*one.output)});
  return logits;
}

std::vector<LabelScore> best_labels(std::span<const std::vector<LabelScore>> windows, WindowScores how,
                                    std::optional<size_t> most) {
  std::vector<LabelScore> labels = merge_windows(windows, how);
  if (most && *most < labels.size()) labels.resize(*most);
  return labels;
}

// Lets only one text of a pair be truncated.
void cut_only(TextOptions& options, Truncation which) {
  if (options.tokenize->truncation != Truncation::kError) options.tokenize->truncation = which;
}

class ClassifyCall : public TaskCall {
 public:
  ClassifyCall(const Model& model, std::optional<ClassRequest> request, const ClassifyOptions& options)
      : TaskCall(model), request_(std::move(request)), options_(options) {}

  TextTask computation() const override {
    if (request_) return *request_;
    return HeadOptions{.head = Head::kSequenceClassification};
  }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    std::vector<std::vector<LabelScore>> windows;
    for (const TaskSequence& one : sequences) {
      windows.push_back(request_ ? std::get<std::vector<LabelScore>>(*one.output)
                                 : label_scores(model().config(), std::get<Logits>(*one.output), options_.function));
    }
    return best_labels(windows, options_.scores, options_.top_k);
  }

 private:
  const std::optional<ClassRequest> request_;  // nullopt: the classifier's own labels
  const ClassifyOptions options_;
};

class ZeroShotCall : public TaskCall {
 public:
  ZeroShotCall(const Model& model, std::vector<std::string> labels, const ZeroShotOptions& options)
      : TaskCall(model),
        labels_(std::move(labels)),
        multi_label_(options.multi_label),
        scores_(options.windows.scores),
        top_k_(options.top_k) {
    if (labels_.empty()) throw Error(ErrorCode::kInvalidArgument, "no candidate labels, expected at least one");
    model.require(Head::kSequenceClassification);
    entailment_output(model.config());
    for (const std::string& label : labels_) hypotheses_.push_back(hypothesis(options.hypothesis_template, label));
  }

  TextTask computation() const override { return HeadOptions{.head = Head::kSequenceClassification}; }
  void adjust(TextOptions& options) const override {
    cut_only(options, Truncation::kOnlyFirst);
    if (!options.windows) return;
    size_t& most = options.tokenize->pair_tokens;
    for (const std::string& one : hypotheses_) {
      most = std::max(most, model().tokenizer().tokenize(one, {.add_special_tokens = false, .only_ids = true}).size());
    }
  }
  std::vector<TextItem> items(TextItem input) const override {
    std::vector<TextItem> pairs(hypotheses_.size(), input);
    for (size_t i = 0; i < pairs.size(); ++i) pairs[i].pair = hypotheses_[i];
    return pairs;
  }
  size_t item_count() const override { return hypotheses_.size(); }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    std::vector<std::vector<LabelScore>> windows(sequences.size() / labels_.size());  // each label's item has this many
                                                                                      // windows
    for (size_t window = 0; window < windows.size(); ++window) {
      std::vector<Logits> logits;
      for (size_t i = window; i < sequences.size(); i += windows.size()) {
        logits.push_back(std::get<Logits>(*sequences[i].output));
      }
      windows[window] = zero_shot_scores(model().config(), labels_, logits, multi_label_);
    }
    return best_labels(windows, scores_, top_k_);
  }

 private:
  const std::vector<std::string> labels_;
  std::vector<std::string> hypotheses_;
  const bool multi_label_;
  const WindowScores scores_;
  const std::optional<size_t> top_k_;
};

class TagCall : public TaskCall {
 public:
  TagCall(const Model& model, const TagCallOptions& options) : TaskCall(model), options_(options) {}

  TextTask computation() const override { return HeadOptions{.head = Head::kTokenClassification}; }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    const std::vector<TokenLogits> logits = token_logits(sequences);
    const TaskSequence& first = sequences.front();
    if (first.words) return label_words(model(), logits.front(), first.words->size(), options_.of_words);
    return find_entities(model(), first.text, logits, options_.aggregation, options_.scheme);
  }

 private:
  const TagCallOptions options_;
};

class TagByLabelsCall : public TaskCall {
 public:
  TagByLabelsCall(const Model& model, LabelRequest request) : TaskCall(model), request_(std::move(request)) {}

  TextTask computation() const override { return request_; }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    std::vector<WindowEntities> windows;
    for (const TaskSequence& one : sequences)
      windows.push_back({one.place, std::get<std::vector<Entity>>(*one.output)});
    return merge_windows(std::move(windows));
  }

 private:
  const LabelRequest request_;
};

class FillMaskCall : public TaskCall {
 public:
  FillMaskCall(const Model& model, size_t top_k, std::vector<int32_t> targets)
      : TaskCall(model), mask_(mask_token_id(model.tokenizer())), top_k_(top_k), targets_(std::move(targets)) {}

  TextTask computation() const override { return HeadOptions{.head = Head::kMaskedLm, .logits = {.only_id = mask_}}; }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    const TaskSequence& read = sequences.front();
    check_masks(model().tokenizer(), *read.encoding, read.text,
                read.pair.empty() ? std::nullopt : std::optional(read.pair));
    return mask_candidates(model().tokenizer(), read.encoding->ids, std::get<Logits>(*read.output), top_k_, targets_);
  }

 private:
  const int32_t mask_;
  const size_t top_k_;
  const std::vector<int32_t> targets_;
};

class AnswerCall : public TaskCall {
 public:
  AnswerCall(const Model& model, const AnswerOptions& options, size_t window_tokens)
      : TaskCall(model), options_(options), window_tokens_(window_tokens) {}

  TextTask computation() const override { return HeadOptions{.head = Head::kQuestionAnswering}; }
  void adjust(TextOptions& options) const override {
    cut_only(options, Truncation::kOnlySecond);
    if (options.windows) options.tokenize->max_length = std::min(options.tokenize->max_length, window_tokens_);
    if (options.fits_stride) options.tokenize->stride = kAnswerStride;
  }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    return find_answers(sequences.front().pair, token_logits(sequences), options_);
  }

 private:
  const AnswerOptions options_;
  const size_t window_tokens_;
};

class NextSentenceCall : public TaskCall {
 public:
  using TaskCall::TaskCall;

  TextTask computation() const override { return HeadOptions{.head = Head::kNextSentence}; }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    return NextSentence{softmax(std::get<Logits>(*sequences.front().output).values)[0]};
  }
};

// Only the second text of a pair, usually the longer one, is divided into windows.
void divide_second(TextOptions& options) {
  if (options.windows) cut_only(options, Truncation::kOnlySecond);
}

TextItem pair_of(std::string text, TextItem input) {
  input.pair = std::exchange(input.text, std::move(text));
  return input;
}

class RerankCall : public TaskCall {
 public:
  RerankCall(const Model& model, Reranker reranker, std::string query)
      : TaskCall(model), reranker_(std::move(reranker)), query_{.text = std::move(query), .role = TextRole::kQuery} {}

  TextTask computation() const override { return reranker_.task(); }
  void adjust(TextOptions& options) const override {
    if (reads_pairs()) divide_second(options);
  }
  const TextItem* query() const override { return reads_pairs() ? nullptr : &query_; }
  std::vector<TextItem> items(TextItem input) const override {
    return {reads_pairs() ? pair_of(query_.text, std::move(input)) : std::move(input)};
  }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    std::vector<Relevance> windows;
    for (const TaskSequence& one : reads_pairs() ? sequences : sequences.subspan(1)) {
      windows.push_back(reads_pairs() ? reranker_.relevance(std::get<Logits>(*one.output))
                                      : reranker_.similarity(std::get<TextVectors>(*sequences.front().output),
                                                             std::get<TextVectors>(*one.output)));
    }
    return windows[best_first(windows).front()];
  }

 private:
  bool reads_pairs() const { return reranker_.method() == RerankMethod::kClassifier; }

  const Reranker reranker_;
  const TextItem query_;
};

class ChooseCall : public TaskCall {
 public:
  ChooseCall(const Model& model, std::string text) : TaskCall(model), text_(std::move(text)) {
    model.require(Head::kMultipleChoice);
  }

  TextTask computation() const override { return HeadOptions{.head = Head::kMultipleChoice}; }
  void adjust(TextOptions& options) const override { divide_second(options); }
  std::vector<TextItem> items(TextItem input) const override { return {pair_of(text_, std::move(input))}; }
  TaskOutput result(std::span<const TaskSequence> sequences) const override {
    return Relevance{.score = 0, .logit = std::get<Logits>(*sequences.front().output).values[0], .activation = {}};
  }

 private:
  const std::string text_;
};

}  // namespace

TaskCall::~TaskCall() = default;

void TaskCall::adjust(TextOptions&) const {}

std::vector<TextItem> TaskCall::items(TextItem input) const { return {std::move(input)}; }

bool TaskCall::reads_tokens() const {
  const TextTask task = computation();
  const auto* head = std::get_if<HeadOptions>(&task);
  return head != nullptr && head->head != Head::kSequenceClassification;
}

TaskCallPtr classify_call(const Model& model, std::optional<ClassRequest> request, const ClassifyOptions& options) {
  return std::make_unique<ClassifyCall>(model, std::move(request), options);
}

TaskCallPtr zero_shot_call(const Model& model, std::vector<std::string> labels, const ZeroShotOptions& options) {
  return std::make_unique<ZeroShotCall>(model, std::move(labels), options);
}

TaskCallPtr tag_call(const Model& model, const TagCallOptions& options) {
  return std::make_unique<TagCall>(model, options);
}

TaskCallPtr tag_call(const Model& model, LabelRequest request) {
  return std::make_unique<TagByLabelsCall>(model, std::move(request));
}

std::vector<int32_t> target_ids(const Tokenizer& tokenizer, std::span<const std::string> words) {
  std::vector<int32_t> ids;
  for (const std::string& word : words) {
    const std::optional<int32_t> id = tokenizer.id(word);
    if (!id) {
      throw Error(ErrorCode::kInvalidArgument, "target " + quote(word, 60) + ": not a token of the model's vocabulary");
    }
    if (std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  return ids;
}

TaskCallPtr fill_mask_call(const Model& model, size_t top_k, std::vector<int32_t> targets) {
  return std::make_unique<FillMaskCall>(model, top_k, std::move(targets));
}

TaskCallPtr answer_call(const Model& model, const AnswerOptions& options, size_t window_tokens) {
  return std::make_unique<AnswerCall>(model, options, window_tokens);
}

TaskCallPtr next_sentence_call(const Model& model) { return std::make_unique<NextSentenceCall>(model); }

TaskCallPtr rerank_call(const Model& model, Reranker reranker, std::string query) {
  return std::make_unique<RerankCall>(model, std::move(reranker), std::move(query));
}

TaskCallPtr choose_call(const Model& model, std::string text) {
  return std::make_unique<ChooseCall>(model, std::move(text));
}

void choice_scores(std::span<Relevance> choices) {
  std::vector<float> logits;
  for (const Relevance& one : choices) logits.push_back(static_cast<float>(one.logit));
  const std::vector<double> shares = softmax(logits);
  for (size_t i = 0; i < choices.size(); ++i) choices[i].score = shares[i];
}

std::vector<size_t> best_first(std::span<const Relevance> relevances) {
  std::vector<size_t> places(relevances.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(),
                   [&](size_t a, size_t b) { return relevances[a].logit > relevances[b].logit; });
  return places;
}

}  // namespace bert
