// The name of each task, its input, options and output, and how it is made from its options.

#include "bert/redact.h"
#include "bert/task_settings.h"

namespace bert {
namespace {

static_assert(kAnswerTokens == 384, "the default of window_tokens");

using enum OptionType;

constexpr std::string_view kCutOrError[] = {"cut", "error"};
constexpr std::string_view kWindowsOrError[] = {"windows", "error"};

constexpr TaskOption top_k(std::string_view help, std::string_view by_default = {}) {
  return {.name = "top_k", .type = kSize, .help = help, .by_default = by_default, .least = 1};
}

constexpr TaskOption labels(std::string_view help, bool is_required = false) {
  return {.name = "labels", .type = kTexts, .help = help, .is_required = is_required};
}

constexpr TaskOption long_text(std::string_view by_default, std::span<const std::string_view> words = kLongTextWords) {
  return {
      .name = "long_text",
      .type = kWord,
      .help =
          "what is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows "
          "reads all of it in windows, error refuses it",
      .by_default = by_default,
      .words = words};
}

constexpr TaskOption kNamesOption{
    .name = "names",
    .type = kTexts,
    .help = "with labels, the name of each label in the results, so that a label can be a description",
    .needs = "labels"};
constexpr TaskOption kStrideOption{
    .name = "stride",
    .type = kSize,
    .help = "the number of tokens that a window of a long text shares with the next window"};
constexpr TaskOption kWindowScoresOption{
    .name = "window_scores",
    .type = kWord,
    .help = "how a label's scores in the windows of a long text become one: their mean, or the largest",
    .by_default = R"("mean")",
    .words = kWindowScoreWords};
constexpr TaskOption kSchemeOption{
    .name = "scheme",
    .type = kWord,
    .help =
        "the letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) "
        "and S- (single), bilou L- (last) and U- (unit); auto finds out by the labels",
    .by_default = R"("auto")",
    .words = kSchemeWords,
    .excludes = "labels"};

constexpr TaskOption aggregation(std::string_view help, std::string_view by_default) {
  return {.name = "aggregation",
          .type = kWord,
          .help = help,
          .by_default = by_default,
          .words = kAggregationWords,
          .excludes = "labels"};
}

constexpr TaskOption kClassifyOptions[] = {
    labels("the labels to choose from, for a model that reads labels (GLiClass)"),
    kNamesOption,
    {.name = "multi_label", .help = "with labels, each label is scored independently, from 0 to 1", .needs = "labels"},
    top_k("the largest number of labels for each text"),
    kWindowScoresOption,
    long_text(R"("cut")"),
    kStrideOption};

constexpr TaskOption kZeroShotOptions[] = {
    labels("the labels to choose from", true),
    {.name = "hypothesis_template",
     .type = kText,
     .help = "the sentence that is tested for each label, with {} in the place of the label",
     .by_default = R"("This example is {}.")"},
    {.name = "multi_label", .help = "each label is scored independently, because several may apply"},
    top_k("the largest number of labels for each text"),
    kWindowScoresOption,
    long_text(R"("cut")"),
    kStrideOption};

constexpr TaskOption kTagOptions[] = {
    labels("the kinds of entities to find, for a model that reads labels (GLiNER)"),
    kNamesOption,
    {.name = "threshold",
     .type = kNumber,
     .help = "with labels, the score that an entity must exceed",
     .by_default = "0.5",
     .most = 1,
     .needs = "labels"},
    {.name = "nested", .help = "with labels, an entity may lie inside another one", .needs = "labels"},
    {.name = "multi_label", .help = "with labels, an entity may have several labels", .needs = "labels"},
    aggregation("how tokens become entities: none leaves each token alone, simple joins neighbours of one label; "
                "first, average and max give each word one label, by its first token, the mean of its tokens or the "
                "token with the highest score; an input of words takes one of these three, by default first",
                R"("simple")"),
    kSchemeOption,
    long_text(R"("windows")"),
    kStrideOption};

constexpr TaskOption kFillMaskOptions[] = {
    top_k("the number of words for each mask", "5"),
    {.name = "targets", .type = kTexts, .help = "the words to list, whose scores remain those among all words"},
    long_text(R"("cut")", kCutOrError)};

constexpr TaskOption kAnswerOptions[] = {
    top_k("the number of answers to each question", "1"),
    {.name = "max_answer_tokens",
     .type = kSize,
     .help = "the largest number of tokens in an answer",
     .by_default = "15",
     .least = 1},
    {.name = "no_answer", .help = R"(the answer may be "", which says that the context has none)"},
    {.name = "window_tokens",
     .type = kSize,
     .help = "the number of tokens in a window, at most as many as the model reads",
     .by_default = "384",
     .least = 1},
    {.name = "align_to_words", .help = "an answer consists of whole words", .by_default = "true"},
    long_text(R"("windows")"),
    kStrideOption};

constexpr TaskOption kNextSentenceOptions[] = {long_text(R"("cut")", kCutOrError)};

constexpr TaskOption kChooseOptions[] = {
    {.name = "text", .type = kText, .help = "the text that each input may continue", .is_required = true},
    long_text(R"("cut")", kCutOrError)};

constexpr TaskOption kRerankOptions[] = {
    {.name = "query", .type = kText, .help = "the query that the documents are scored for", .is_required = true},
    {.name = "prompt",
     .type = kText,
     .help = "the name of the model's prompt that is put before each text",
     .excludes = "prompt_text"},
    {.name = "prompt_text", .type = kText, .help = "a prompt of your own that is put before each text"},
    {.name = "relevant_label",
     .type = kText,
     .help = "for a classifier with two labels, the label whose score counts: by default the one called relevant"},
    top_k("the largest number of results"),
    long_text(R"("cut")"),
    kStrideOption};

constexpr TaskOption kRedactOptions[] = {
    labels("the kinds of entities to find, for a model that reads labels (GLiNER)"),
    {.name = "expressions",
     .type = kTexts,
     .help = "LABEL=EXPRESSION: each match of the regular expression (Oniguruma's syntax) is replaced as a part with "
             "this label"},
    {.name = "only", .type = kTexts, .help = "the labels of the entities to replace: by default all"},
    {.name = "threshold",
     .type = kNumber,
     .help = "the score that an entity must exceed: by default 0.5 for a model that reads labels, 0 for others",
     .most = 1},
    aggregation("how tokens become entities, as in tag", R"("first")"),
    kSchemeOption,
    {.name = "replace",
     .type = kText,
     .help = "what replaces a part; {label} is the label of the part, {hash} a digest of its text by the key",
     .by_default = R"("<{label}>")"},
    {.name = "mask",
     .type = kText,
     .help = "a character that replaces each character of a part",
     .excludes = "replace"},
    {.name = "key",
     .type = kText,
     .help = "the key of {hash}, at least 16 bytes; {hash} is the first 32 digits of HMAC-SHA-256"},
    long_text(R"("windows")", kWindowsOrError),
    kStrideOption};

std::optional<ClassRequest> class_request(const TaskSettings& given) {
  if (!given.has("labels")) return std::nullopt;
  return ClassRequest{
      .labels = given.texts("labels"), .names = given.texts("names"), .multi_label = given.flag("multi_label")};
}

WindowScores window_scores(const TaskSettings& given) {
  return given.word<WindowScores>("window_scores", kWindowScoreWords);
}

TaskCallPtr make_classify(const Model& model, const TaskSettings& given) {
  return classify_call(model, class_request(given),
                       {.scores = window_scores(given), .top_k = given.chosen_size("top_k")});
}

TaskCallPtr make_zero_shot(const Model& model, const TaskSettings& given) {
  const std::string hypothesis = given.text("hypothesis_template");
  return zero_shot_call(model, given.texts("labels"),
                        {.hypothesis_template = hypothesis,
                         .multi_label = given.flag("multi_label"),
                         .windows = {.scores = window_scores(given)},
                         .top_k = given.chosen_size("top_k")});
}

TaskCallPtr make_tag(const Model& model, const TaskSettings& given) {
  if (given.has("labels")) {
    return tag_call(model, LabelRequest{.labels = given.texts("labels"),
                                        .names = given.texts("names"),
                                        .threshold = given.number("threshold"),
                                        .nested = given.flag("nested"),
                                        .multi_label = given.flag("multi_label")});
  }
  const auto how = given.word<Aggregation>("aggregation", kAggregationWords);
  const bool is_of_words = given.has("aggregation") && how != Aggregation::kNone;
  return tag_call(model, {how, given.word<TagScheme>("scheme", kSchemeWords), is_of_words ? how : Aggregation::kFirst});
}

TaskCallPtr make_fill_mask(const Model& model, const TaskSettings& given) {
  return fill_mask_call(model, given.size("top_k"), target_ids(model.tokenizer(), given.texts("targets")));
}

TaskCallPtr make_answer(const Model& model, const TaskSettings& given) {
  return answer_call(model,
                     {.top_k = given.size("top_k"),
                      .max_answer_tokens = given.size("max_answer_tokens"),
                      .no_answer = given.flag("no_answer"),
                      .align_to_words = given.flag("align_to_words")},
                     given.size("window_tokens"));
}

TaskCallPtr make_next_sentence(const Model& model, const TaskSettings&) { return next_sentence_call(model); }

TaskCallPtr make_choose(const Model& model, const TaskSettings& given) {
  return choose_call(model, given.text("text"));
}

TaskCallPtr make_rerank(const Model& model, const TaskSettings& given) {
  const EmbedOptions options{.prompt = given.chosen_text("prompt"), .prompt_text = given.chosen_text("prompt_text")};
  return rerank_call(model, Reranker(model, options, given.chosen_text("relevant_label")), given.text("query"));
}

TaskCallPtr make_redact(const Model& model, const TaskSettings& given) {
  return redact_call(model, redact_options(given), std::make_shared<const Redactor>(redact_rules(given)));
}

constexpr TaskDescription kTasks[] = {
    {"classify", "the labels of a text or a pair, best first: a classifier's own, or those that the caller names",
     TaskInput::kTextOrPair, "labels", kClassifyOptions, make_classify},
    {"zero_shot", "the candidate labels of a text, best first, by a classifier of natural language inference",
     TaskInput::kText, "labels", kZeroShotOptions, make_zero_shot},
    {"tag", "the entities of a text, or a label for each of its words", TaskInput::kTextOrWords, "entities",
     kTagOptions, make_tag},
    {"fill_mask", "for each mask of a text the words that fit best", TaskInput::kTextOrPair, "masks", kFillMaskOptions,
     make_fill_mask},
    {"answer", "the parts of a context that answer a question, best first: a pair of both", TaskInput::kPair, "answers",
     kAnswerOptions, make_answer},
    {"next_sentence", "whether the second of two texts follows the first", TaskInput::kPair, "is_next",
     kNextSentenceOptions, make_next_sentence},
    {"choose", "how well each text continues the given one", TaskInput::kText, "score", kChooseOptions, make_choose,
     true},
    {"rerank", "how well each text fits a query", TaskInput::kText, "score", kRerankOptions, make_rerank, true},
    {"redact", "a text without the names in it", TaskInput::kText, "redacted", kRedactOptions, make_redact},
};

}  // namespace

std::span<const TaskDescription> tasks() { return kTasks; }

RedactOptions redact_options(const TaskSettings& settings) {
  RedactOptions options{.aggregation = settings.word<Aggregation>("aggregation", kAggregationWords),
                        .scheme = settings.word<TagScheme>("scheme", kSchemeWords)};
  if (!settings.has("labels")) return options;
  options.labels.labels = settings.texts("labels");
  if (settings.has("threshold")) options.labels.threshold = settings.number("threshold");
  return options;
}

RedactRules redact_rules(const TaskSettings& settings) {
  RedactRules rules{.only = settings.texts("only"),
                    .replacement = settings.text("replace"),
                    .mask = settings.chosen_text("mask"),
                    .key = settings.text("key")};
  if (!settings.has("labels")) rules.least_score = settings.number("threshold");
  for (const std::string& one : settings.texts("expressions")) rules.expressions.push_back(redact_expression(one));
  return rules;
}

}  // namespace bert
