#include "program/cli/output/explained.h"

#include <utility>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

void add_rows(JsonWriter& object, const char* name, const std::vector<double>& values, size_t columns) {
  std::string& text = object.member(name);
  text += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % columns == 0) text += i == 0 ? "[" : "],[";
    if (i % columns != 0) text += ',';
    append_number(text, values[i]);
  }
  text += values.empty() ? "]" : "]]";
}

std::vector<std::string> words_of(const ExplainedText& text) {
  std::vector<std::string> words;
  for (const TextWord& word : text.words) words.push_back(word.text);
  return words;
}

std::string json_of(const ExplainedText& text) {
  JsonWriter object;
  object.string("text", text.text);
  object.strings("words", words_of(text));
  if (!text.rows.empty()) {
    object.strings("tokens", text.rows);
    object.strings("groups", text.groups);
    object.numbers<size_t>("group_of_token", text.group_of_row);
  }
  if (!text.without.empty()) object.numbers<double>("without", text.without);
  return object.take();
}

std::string json_of(const ScoreExplanation& why) {
  JsonWriter object;
  object.string("kind", name(why.kind));
  object.string("function", why.function);
  if (!why.not_additive.empty()) object.string("not_additive", why.not_additive);
  object.number("score", why.score);
  object.number("remainder", why.remainder);
  object.member("first") += json_of(why.a);
  object.member("second") += json_of(why.b);
  if (!why.pairs.empty()) {
    add_rows(object, "pairs", why.pairs, why.b.rows.size());
    add_rows(object, "group_pairs", why.group_pairs(), why.b.groups.size());
  }
  if (why.kind == ExplanationKind::kEntries) {
    append_list(object.member("entries"), why.entries, [](std::string& text, const EntryTerm& entry) {
      JsonWriter one;
      one.number("id", entry.id);
      one.string("token", entry.token);
      one.number("first", entry.weight_a);
      one.number("second", entry.weight_b);
      one.number("term", entry.term);
      text += one.take();
    });
  }
  return object.take();
}

std::vector<int32_t> sequences_of(const ExplainedText& text) {
  std::vector<int32_t> sequences;
  for (const TextWord& word : text.words) sequences.push_back(word.sequence);
  return sequences;
}

std::string json_of(const LabelExplanation& why) {
  JsonWriter object;
  object.string("kind", name(ExplanationKind::kWordsLeftOut));
  object.strings("labels", why.labels);
  object.numbers<double>("scores", why.scores);
  object.numbers<double>("remainders", why.remainders);
  object.strings("words", words_of(why.text));
  object.numbers<int32_t>("sequences", sequences_of(why.text));
  add_rows(object, "without", why.without, why.labels.size());
  return object.take();
}

Array numbers(const std::string& name, const std::vector<double>& values, std::vector<size_t> shape) {
  return make_array(name, std::span<const double>(values), std::move(shape));
}
Array words(const std::string& name, const std::vector<std::string>& values) {
  return make_array(name, std::span<const std::string>(values), {values.size()});
}

void add_text(std::vector<Array>& arrays, const ExplainedText& text, const std::string& which) {
  arrays.push_back(words(which + "_words", words_of(text)));
  if (!text.rows.empty()) {
    arrays.push_back(words(which + "_tokens", text.rows));
    arrays.push_back(words(which + "_groups", text.groups));
  }
  if (!text.without.empty()) arrays.push_back(numbers(which + "_without", text.without, {text.without.size()}));
}

std::vector<Array> arrays_of(const ScoreExplanation& why) {
  std::vector<Array> arrays = {numbers("score", {why.score}, {}), numbers("remainder", {why.remainder}, {})};
  add_text(arrays, why.a, "first");
  add_text(arrays, why.b, "second");
  if (!why.pairs.empty()) {
    arrays.push_back(numbers("pairs", why.pairs, {why.a.rows.size(), why.b.rows.size()}));
    arrays.push_back(numbers("group_pairs", why.group_pairs(), {why.a.groups.size(), why.b.groups.size()}));
  }
  if (why.kind == ExplanationKind::kEntries) {
    std::vector<int32_t> ids;
    std::vector<std::string> tokens;
    std::vector<double> terms;
    for (const EntryTerm& entry : why.entries) {
      ids.push_back(entry.id);
      tokens.push_back(entry.token);
      terms.push_back(entry.term);
    }
    arrays.push_back(make_array("entry_ids", std::span<const int32_t>(ids), {ids.size()}));
    arrays.push_back(words("entry_tokens", tokens));
    arrays.push_back(numbers("entry_terms", terms, {terms.size()}));
  }
  return arrays;
}

std::vector<Array> arrays_of(const LabelExplanation& why) {
  const std::vector<int32_t> sequences = sequences_of(why.text);
  return {words("labels", why.labels),
          numbers("scores", why.scores, {why.scores.size()}),
          numbers("remainders", why.remainders, {why.remainders.size()}),
          words("words", words_of(why.text)),
          make_array("sequences", std::span<const int32_t>(sequences), {sequences.size()}),
          numbers("without", why.without, {why.text.words.size(), why.labels.size()})};
}

}  // namespace

void declare_explain(OptionTable& table, ExplainOptions& explain, const std::string& help) {
  table.begin_group("Explanation");
  table.flag("--explain", explain.wanted, help);
  declare_drawn_files(table, explain.drawn);
}

void check_explain(const Options& options, const ExplainOptions& explain) {
  if (explain.wanted) return require_separate_files(options, explain.drawn);
  const char* option = !explain.drawn.html.empty()            ? "--html"
                       : !explain.drawn.svg.empty()           ? "--svg"
                       : options.format == OutputFormat::kNpz ? "--format npz"
                                                              : nullptr;
  if (option != nullptr) throw UsageError(std::string(option) + " is for --explain");
}

Explanation::Explanation(ScoreExplanation why)
    : why_(std::make_unique<const std::variant<ScoreExplanation, LabelExplanation>>(std::move(why))),
      findings_(score_findings(std::get<ScoreExplanation>(*why_))) {}

Explanation::Explanation(LabelExplanation why, size_t labels)
    : why_(std::make_unique<const std::variant<ScoreExplanation, LabelExplanation>>(std::move(why))),
      findings_(label_findings(std::get<LabelExplanation>(*why_), labels)) {}

std::string Explanation::json() const {
  return std::visit([](const auto& why) { return json_of(why); }, *why_);
}

std::vector<Array> Explanation::arrays() const {
  return std::visit([](const auto& why) { return arrays_of(why); }, *why_);
}

std::vector<size_t> Explanation::tokens() const {
  if (const auto* score = std::get_if<ScoreExplanation>(why_.get())) {
    return {score->a.encoding.size(), score->b.encoding.size()};
  }
  return {std::get<LabelExplanation>(*why_).text.encoding.size()};
}

std::string two_texts(const std::string& one, const std::string& other) {
  return "“" + one_line(one) + "” and “" + one_line(other) + "”";
}

void draw_explanations(const DrawnFiles& drawn, const std::string& lead, const std::vector<ExplainedResult>& results) {
  if (drawn.empty() || results.empty()) return;
  Page page(results.front().explanation.findings().title(), lead);
  for (const ExplainedResult& result : results) {
    for (const size_t tokens : result.explanation.tokens()) require_drawable(drawn, "text", tokens, kTruncatedByOption);
    if (results.size() > 1) page.chapter(result.heading);
    result.explanation.findings().add_to(page);
  }
  write_drawn_files(drawn, page);
}

void write_texts(Output& output, const std::vector<ExplainedResult>& results) {
  for (const ExplainedResult& result : results) {
    output.write("\n" + result.heading + "\n" + result.explanation.findings().text(output.style()) + "\n");
  }
}

void write_arrays(Output& output, const std::vector<ExplainedResult>& results) {
  NpzResults npz(output);
  for (const ExplainedResult& result : results) npz.add(result.explanation.arrays());
  npz.finish();
}

}  // namespace bert::cli
