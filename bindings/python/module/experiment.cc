#include "bindings/python/module/experiment.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "bert/experiments.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/interpreter_lock.h"
#include "bindings/python/module/result.h"
#include "program/drawings/findings/position_findings.h"
#include "program/drawings/model_report.h"
#include "program/drawings/sample_texts.h"

namespace bert::python {
namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A text or a pair, which is truncated to max_length, or to the model's limit if that is not given.
struct ExperimentText {
  std::string text;
  std::optional<std::string> pair;
  std::optional<size_t> max_length;
};

// An experiment, and its arrays by name. Attention weights are float32, all others float64.
using ExperimentArrays = std::pair<std::unique_ptr<Experiment>, nb::dict>;

Encoding tokenize(const Model& model, const ExperimentText& text) {
  TokenizeOptions options;
  options.max_length = text.max_length.value_or(model.max_length());
  check_max_length(options.max_length, model.max_positions());
  return text.pair ? model.tokenizer().tokenize(text.text, *text.pair, options)
                   : model.tokenizer().tokenize(text.text, options);
}

// drawn_tokens: the number of tokens on the page; nullopt: all tokens of the text.
std::unique_ptr<Experiment> of_text(std::shared_ptr<const void> numbers, std::unique_ptr<drawings::Findings> findings,
                                    const Model& model, const ExperimentText& text, const Encoding& encoding,
                                    std::optional<size_t> drawn_tokens = std::nullopt) {
  return std::make_unique<Experiment>(std::move(numbers), std::move(findings),
                                      drawings::page_lead(encoding, text.text, text.pair.value_or(""), model),
                                      drawn_tokens.value_or(encoding.size()));
}

std::vector<std::string> shown_tokens(const Model& model, const ExperimentText& text, const Encoding& encoding) {
  return drawings::shown_tokens(encoding, text.text, text.pair.value_or(""), model);
}

nb::list to_list(const std::vector<std::string>& words) {
  nb::list list;
  for (const std::string& word : words) list.append(word);
  return list;
}

// Returns an array with one number of each item.
template <class Item>
Array<double> column(const std::vector<Item>& items, double Item::*number, std::initializer_list<size_t> shape) {
  std::vector<double> values;
  for (const Item& item : items) values.push_back(item.*number);
  return to_array(std::move(values), shape);
}

// Returns a matrix with one row for each item.
template <class Item>
Array<double> matrix(const std::vector<Item>& items, std::vector<double> Item::*row) {
  std::vector<double> values;
  for (const Item& item : items) values.insert(values.end(), (item.*row).begin(), (item.*row).end());
  const size_t width = items.empty() ? 0 : values.size() / items.size();
  return to_array(std::move(values), {items.size(), width});
}

Array<double> vector(std::vector<double> values) {
  const size_t size = values.size();
  return to_array(std::move(values), {size});
}

// rows: the tokens whose attention is computed, in ascending order; empty: all.
ExperimentArrays attention(const Model& model, const ExperimentText& text, const std::vector<size_t>& rows) {
  std::shared_ptr<const AttentionSummary> numbers;
  Encoding encoding;
  {
    const Unlocked unlock;
    encoding = tokenize(model, text);
    drawings::check_rows(rows, encoding.size(), "rows");
    numbers = std::make_shared<const AttentionSummary>(summarize_attention(model, encoding, rows));
  }
  const size_t heads = numbers->heads, layers = numbers->summaries.size() / heads;
  nb::dict dict;
  dict["tokens"] = to_list(drawings::token_labels(encoding, model));
  dict["rows"] =
      to_array(std::vector<int64_t>(numbers->queries.begin(), numbers->queries.end()), {numbers->queries.size()});
  dict["weights"] = to_array(numbers->weights, {layers, heads, numbers->queries.size(), numbers->tokens});
  dict["entropy"] = column(numbers->summaries, &HeadSummary::entropy_bits, {layers, heads});
  dict["max_entropy"] = numbers->max_entropy_bits;
  dict["self"] = column(numbers->summaries, &HeadSummary::self, {layers, heads});
  dict["previous"] = column(numbers->summaries, &HeadSummary::previous, {layers, heads});
  dict["next"] = column(numbers->summaries, &HeadSummary::next, {layers, heads});
  dict["special"] = column(numbers->summaries, &HeadSummary::special, {layers, heads});
  std::unique_ptr<drawings::Findings> findings =
      drawings::attention_findings(*numbers, shown_tokens(model, text, encoding), model.config().local_layers);
  return {of_text(numbers, std::move(findings), model, text, encoding, numbers->queries.size()), std::move(dict)};
}

ExperimentArrays composition(const Model& model, const ExperimentText& text) {
  std::shared_ptr<const std::vector<TokenComposition>> numbers;
  EmbeddingParts parts;
  Encoding encoding;
  {
    const Unlocked unlock;
    encoding = tokenize(model, text);
    parts = embedding_parts(model, model.sequence(encoding));
    numbers =
        std::make_shared<const std::vector<TokenComposition>>(token_compositions(model, model.sequence(encoding)));
  }
  if (numbers->empty()) throw Error(ErrorCode::kInvalidArgument, "the text has no tokens, expected some");
  nb::dict dict, vectors, shares;
  const auto add_vectors = [&](const char* name, std::vector<float>& values) {
    if (!values.empty()) vectors[name] = to_array(std::move(values), {parts.tokens, parts.hidden});
  };
  add_vectors("word", parts.word);
  add_vectors("position", parts.position);
  add_vectors("segment", parts.segment);
  add_vectors("sum", parts.sum);
  add_vectors("normalized", parts.normalized);
  const auto add = [&](const char* name, const std::optional<EmbeddingShare> TokenComposition::*part) {
    if (!(numbers->front().*part)) return;
    std::vector<double> values;
    for (const TokenComposition& token : *numbers) values.push_back((token.*part)->share);
    shares[name] = vector(std::move(values));
  };
  add("word", &TokenComposition::word);
  add("position", &TokenComposition::position);
  add("segment", &TokenComposition::segment);
  dict["tokens"] = to_list(drawings::token_labels(encoding, model));
  dict["parts"] = vectors;
  dict["shares"] = shares;
  dict["moved"] = matrix(*numbers, &TokenComposition::moved);
  std::unique_ptr<drawings::Findings> findings =
      drawings::embedding_findings(*numbers, shown_tokens(model, text, encoding), encoding);
  return {of_text(numbers, std::move(findings), model, text, encoding), std::move(dict)};
}

ExperimentArrays orders(const Model& model, const Model& without_positions, const ExperimentText& text,
                        const OrderOptions& options) {
  std::shared_ptr<const OrderComparison> numbers;
  Encoding encoding;
  {
    const Unlocked unlock;
    encoding = tokenize(model, text);
    numbers = std::make_shared<const OrderComparison>(compare_orders(model, without_positions, encoding, options));
  }
  std::vector<std::string> names;
  std::vector<int64_t> places;
  for (size_t i = 0; i < numbers->effects.size(); ++i) {
    names.push_back(drawings::order_name(*numbers, i));
    places.insert(places.end(), numbers->effects[i].order.begin(), numbers->effects[i].order.end());
  }
  nb::dict dict;
  dict["tokens"] = to_list(drawings::token_labels(encoding, model));
  dict["names"] = to_list(names);
  dict["orders"] = to_array(std::move(places), {names.size(), encoding.size()});
  dict["moved"] = matrix(numbers->effects, &OrderEffect::moved);
  dict["moved_by_layer"] = matrix(numbers->effects, &OrderEffect::moved_by_layer);
  dict["moved_by_layer_without_positions"] = matrix(numbers->effects, &OrderEffect::moved_by_layer_without);
  dict["cosine"] = column(numbers->effects, &OrderEffect::embedding_cosine, {names.size()});
  std::unique_ptr<drawings::Findings> findings =
      drawings::order_findings(*numbers, shown_tokens(model, text, encoding));
  return {of_text(numbers, std::move(findings), model, text, encoding), std::move(dict)};
}

ExperimentArrays positions(const Model& model) {
  auto found = std::make_unique<drawings::PositionFindings>(model);
  if (found->empty()) throw Error(ErrorCode::kNotFound, "the model has no positions");
  nb::dict dict;
  if (found->table()) {
    const SinusoidComparison& comparison = found->table()->comparison();
    const size_t count = found->table()->count();
    PositionTable table = position_table(model);
    dict["table"] = to_array(std::move(table.values), {table.positions, table.hidden});
    dict["norms"] = vector(comparison.norms);
    dict["cosines"] = to_array(comparison.learned.cosines, {count, count});
    dict["cosine_by_distance"] = vector(comparison.learned.by_distance);
    dict["sinusoidal_cosine_by_distance"] = vector(comparison.sinusoidal.by_distance);
  }
  const std::string lead =
      drawings::name_on_page(model) + (found->table() ? ", " + found->table()->shape() : std::string());
  return {std::make_unique<Experiment>(nullptr, std::move(found), lead, 0), std::move(dict)};
}

ExperimentArrays segments(const Model& model, const ExperimentText& text) {
  std::shared_ptr<const SegmentComparison> numbers;
  Encoding encoding;
  {
    const Unlocked unlock;
    encoding = tokenize(model, text);
    numbers = std::make_shared<const SegmentComparison>(compare_segments(model, model.sequence(encoding)));
  }
  const std::vector<SegmentEffect> effects = {numbers->swapped, numbers->all_a, numbers->all_b};
  nb::dict dict;
  dict["tokens"] = to_list(drawings::token_labels(encoding, model));
  dict["type_ids"] =
      to_array(std::vector<int64_t>(encoding.type_ids.begin(), encoding.type_ids.end()), {encoding.size()});
  dict["norms"] = vector({numbers->norm_a, numbers->norm_b});
  dict["vector_cosine"] = numbers->cosine;
  dict["word_norm"] = numbers->word_norm;
  dict["names"] = to_list({"swapped", "all A", "all B"});
  dict["moved"] = matrix(effects, &SegmentEffect::moved);
  dict["moved_by_layer"] = matrix(effects, &SegmentEffect::moved_by_layer);
  dict["cosine"] = column(effects, &SegmentEffect::embedding_cosine, {effects.size()});
  std::unique_ptr<drawings::Findings> findings = drawings::segment_findings(
      *numbers, drawings::readable_tokens(encoding, text.text, text.pair.value_or(""), model), encoding.type_ids);
  return {of_text(numbers, std::move(findings), model, text, encoding), std::move(dict)};
}

ExperimentArrays variance(const Model& model, const VarianceProbe& probe) {
  const auto numbers = std::make_shared<const VarianceShares>(probe.shares());
  nb::dict dict;
  dict["texts"] = numbers->texts;
  dict["tokens"] = numbers->tokens;
  dict["left_out_tokens"] = numbers->left_out_tokens;
  dict["words"] = numbers->words;
  dict["position"] = vector(numbers->position);
  dict["word"] = vector(numbers->word);
  dict["both"] = vector(numbers->both);
  dict["neither"] = vector(numbers->neither);
  dict["confounded_layer"] = drawings::confounded_layer(*numbers);
  const std::string lead = drawings::name_on_page(model) + ", " + drawings::described_texts(*numbers);
  return {std::make_unique<Experiment>(numbers, drawings::variance_findings(*numbers), lead, 0), std::move(dict)};
}

// of: an experiment on the report's text.
ExperimentArrays finish_report(const drawings::ModelReport& report, const Experiment& of) {
  nb::list questions;
  for (const drawings::ModelReport::Chapter& chapter : report.chapters()) {
    nb::dict one;
    one["question"] = chapter.question;
    one["answer"] = chapter.answer;
    questions.append(one);
  }
  nb::dict dict;
  dict["questions"] = questions;
  dict["parameters"] = report.parameters();
  nb::list tokens;
  for (const drawings::ModelReport::Token& token : report.tokens()) {
    nb::dict one;
    one["token"] = token.token;
    one["id"] = token.id;
    one["nearest"] = to_list(token.nearest);
    tokens.append(one);
  }
  dict["tokens"] = tokens;
  return {
      std::make_unique<Experiment>(nullptr, std::make_unique<drawings::ModelReport>(report), of.lead(), of.tokens()),
      std::move(dict)};
}

}  // namespace

drawings::Page Experiment::page() const {
  if (!is_drawable()) {
    throw Error(ErrorCode::kInvalidArgument, "a page draws at most " + std::to_string(drawings::kMaxDrawnTokens) +
                                                 " tokens, the text has " + std::to_string(tokens_) +
                                                 ": max_length truncates it");
  }
  drawings::Page page(findings_->title(), lead_);
  findings_->add_to(page);
  return page;
}

void bind_experiments(nb::module_& module) {
  nb::class_<Experiment>(module, "Experiment")
      .def_prop_ro("answer", &Experiment::answer)
      .def_prop_ro("is_drawable", &Experiment::is_drawable)
      .def("text", &Experiment::text)
      .def("html", &Experiment::html)
      .def("svg", &Experiment::svg);
  nb::class_<drawings::ModelReport>(module, "ModelReport")
      .def(nb::init<>())
      .def("add_tokens", [](drawings::ModelReport& report, const Model& model,
                            const ExperimentText& text) { report.add_tokens(model, tokenize(model, text)); })
      .def("add_embeddings",
           [](drawings::ModelReport& report, const Experiment& of) { report.add_embeddings(of.findings()); })
      .def("add_orders", [](drawings::ModelReport& report, const Experiment& of) { report.add_orders(of.findings()); })
      .def("add_segments", [](drawings::ModelReport& report, const Experiment& of,
                              const std::string& measured_on) { report.add_segments(of.findings(), measured_on); })
      .def("add_attention",
           [](drawings::ModelReport& report, const Experiment& of) { report.add_attention(of.findings()); })
      .def("add_positions",
           [](drawings::ModelReport& report, const Model& model) {
             report.add_positions(std::make_shared<drawings::PositionFindings>(model));
           })
      .def("add_variance", [](drawings::ModelReport& report, const Experiment& of,
                              const std::string& measured_on) { report.add_variance(of.findings(), measured_on); })
      .def("finish", &finish_report);
  nb::class_<ExperimentText>(module, "ExperimentText")
      .def(
          "__init__",
          [](ExperimentText* self, std::string text, std::optional<std::string> pair, std::optional<size_t> length) {
            new (self) ExperimentText{std::move(text), std::move(pair), length};
          },
          "text"_a, "pair"_a.none(), "max_length"_a.none());
  nb::class_<VarianceProbe>(module, "VarianceProbe")
      .def(nb::init<size_t>(), "max_words"_a)
      .def("add", [](VarianceProbe& probe, const Result& result) {
        const TextResult& text = result.first();
        probe.add(text.tokens.encoding, std::get<EncodedSequence>(text.output));
      });
  module.def("attention", &attention, "model"_a, "text"_a, "rows"_a);
  module.def("composition", &composition, "model"_a, "text"_a);
  module.def(
      "orders",
      [](const Model& model, const Model& without_positions, const ExperimentText& text, size_t shuffles,
         uint64_t seed) { return orders(model, without_positions, text, {.shuffles = shuffles, .seed = seed}); },
      "model"_a, "without_positions"_a, "text"_a, "shuffles"_a, "seed"_a);
  module.def("positions", &positions, "model"_a);
  module.def("segments", &segments, "model"_a, "text"_a);
  module.def("sample_texts", [] {
    std::vector<std::string> texts(drawings::sample_texts().begin(), drawings::sample_texts().end());
    return to_list(texts);
  });
  module.def("sample_pair", [] { return nb::make_tuple(drawings::kSamplePair[0], drawings::kSamplePair[1]); });
  module.def("variance", &variance, "model"_a, "probe"_a);
}

}  // namespace bert::python
