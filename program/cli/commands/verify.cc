// The command verify: compares a converted model with the golden vectors next to its weights, which the converter
// computed in its own float64 forward pass: first the ids of the texts, then hidden states and the pooled output. With
// --against it compares two models on texts instead.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bert/pack.h"
#include "program/cli/command.h"
#include "program/cli/commands/comparison.h"
#include "program/cli/commands/comparison_report.h"
#include "program/cli/common.h"
#include "program/cli/input/golden_file.h"
#include "program/cli/run/run_summary.h"

namespace bert::cli {
namespace {

// The limit of errors for layers in 8 bits or bfloat16, as a share of a case's largest number, if another arithmetic
// computed the golden numbers. A value next to the middle of a step may then be rounded the other way.
constexpr double kOtherArithmetic = 0.1;

// The result of one case. An error is the largest difference of two numbers.
struct Verdict {
  std::optional<bool> same_ids;  // nullopt: the case has no text
  double hidden_error = 0;
  std::optional<size_t> first_bad_layer;  // for the first token; layer 0 is the embeddings
  std::optional<double> pooler_error;
  bool passed = false;
};

double largest_error(std::span<const float> got, std::span<const double> expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) largest = std::max(largest, std::abs(double{got[i]} - expected[i]));
  return largest;
}

// Returns the limit of these numbers' errors if another arithmetic computed them.
double widened(double limit, std::span<const double> expected) {
  for (const double value : expected) limit = std::max(limit, kOtherArithmetic * std::abs(value));
  return limit;
}

Verdict judge(const Model& model, const Golden& golden, const GoldenCase& one) {
  Verdict verdict;
  double hidden_limit = golden.hidden_limit, pooler_limit = golden.pooler_limit;
  if (golden.is_of_other_arithmetic) {
    hidden_limit = widened(hidden_limit, one.last_hidden_state);
    pooler_limit = widened(pooler_limit, one.pooler_output);
  }
  if (one.text) {
    const Encoding encoding =
        one.pair ? model.tokenizer().tokenize(*one.text, *one.pair) : model.tokenizer().tokenize(*one.text);
    verdict.same_ids = encoding.ids == one.ids;
  }
  const TokenSequence sequence{.ids = one.ids, .type_ids = one.type_ids};
  const EncodedSequence encoded = model.encode({&sequence, 1}, {.hidden_states = true}).front();
  const size_t hidden = encoded.hidden;
  for (size_t layer = 0; layer * hidden < one.first_token_by_layer.size(); ++layer) {
    const double error = largest_error({encoded.hidden_states.data() + layer * encoded.tokens * hidden, hidden},
                                       std::span(one.first_token_by_layer).subspan(layer * hidden, hidden));
    if (!verdict.first_bad_layer && error > hidden_limit) verdict.first_bad_layer = layer;
    verdict.hidden_error = std::max(verdict.hidden_error, error);
  }
  verdict.hidden_error =
      std::max(verdict.hidden_error, largest_error(encoded.last_hidden_state, one.last_hidden_state));
  if (model.has_pooler()) verdict.pooler_error = largest_error(encoded.pooler_output, one.pooler_output);
  verdict.passed = verdict.same_ids.value_or(true) && verdict.hidden_error <= hidden_limit &&
                   verdict.pooler_error.value_or(0) <= pooler_limit;
  return verdict;
}

class Verify : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_model(table, options);
    declare_positions(table, options);
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_output(table, options, {OutputFormat::kText, OutputFormat::kJson});
    table.begin_group("Comparison");
    table.text("--against", against_, "DIR", "compare with this model on texts, and not with golden vectors");
    declare_comparison(table, options, comparison_);
  }

  int run(Console& console) override {
    require_no_text(options, "verify", ", but --model DIR");
    if (options.model.empty()) throw UsageError("verify needs --model DIR: the built-in model was not converted");
    if (!against_.empty()) return compare_models(console);
    require_no_comparison(options, comparison_, "--against DIR");
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    check_packed_file(model);
    if (const std::string panels = model.describe().panel_file; !panels.empty()) {
      console.note(in_quotes(panels) + ": packed weights, the same as the model's");
    }
    Golden golden = read_golden(model);
    check_digests(golden);
    // A limit of 0 requires equal bits, which another arithmetic cannot give.
    golden.is_of_other_arithmetic = golden.hidden_limit == 0 && options.precision == Precision::kStored &&
                                    golden.arithmetic != model.describe().arithmetic;
    std::vector<Verdict> verdicts;
    for (const GoldenCase& one : golden.cases) verdicts.push_back(judge(model, golden, one));
    const auto failed = static_cast<size_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return !verdict.passed; }));
    output.write(options.format == OutputFormat::kJson ? json(golden, verdicts, failed)
                                                       : text(golden, verdicts, failed));
    model.check_files();
    output.commit();
    return failed == 0 ? kDone : kFailed;
  }

 private:
  int compare_models(Console& console) {
    require_separate_files(options, comparison_.drawn);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    Options other = options;
    other.model = against_;
    other.precision = Precision::kStored;
    other.positions = {};
    const Comparison result = compare(model, load_model(other, console), options, comparison_, output, console);
    write_report(options, comparison_.drawn, output, comparison_report(result));
    return result.status;
  }

  static std::string text(const Golden& golden, const std::vector<Verdict>& verdicts, size_t failed) {
    Table table({{"case", Align::kRight},
                 {"tokens", Align::kRight},
                 {"ids"},
                 {"hidden states", Align::kRight},
                 {"pooled output", Align::kRight},
                 {""}});
    std::string ends = "The largest error allowed is " + significant(golden.hidden_limit, 2) + " in hidden states";
    if (verdicts.front().pooler_error) ends += ", " + significant(golden.pooler_limit, 2) + " in pooled outputs";
    if (golden.is_of_other_arithmetic) {
      ends = "The golden vectors are of an earlier arithmetic: an error may be a tenth of the case's largest number";
    }
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const Verdict& verdict = verdicts[i];
      std::string words = verdict.passed ? "passed" : "failed";
      if (verdict.first_bad_layer) {
        words += *verdict.first_bad_layer == 0 ? " from the embeddings on"
                                               : " from layer " + std::to_string(*verdict.first_bad_layer) + " on";
      }
      table.add({std::to_string(i + 1), std::to_string(golden.cases[i].ids.size()),
                 !verdict.same_ids   ? "given"
                 : *verdict.same_ids ? "same"
                                     : "differ",
                 significant(verdict.hidden_error, 2),
                 verdict.pooler_error ? significant(*verdict.pooler_error, 2) : "", words});
    }
    const std::string count = std::to_string(verdicts.size());
    return table.text({}) + "\n" + ends + ".\n" +
           (failed == 0 ? "All " + count + " passed.\n" : std::to_string(failed) + " of " + count + " failed.\n");
  }

  static std::string json(const Golden& golden, const std::vector<Verdict>& verdicts, size_t failed) {
    JsonWriter object;
    object.boolean("passed", failed == 0);
    if (golden.is_of_other_arithmetic) object.boolean("other_arithmetic", true);
    JsonWriter limits;
    limits.number("hidden_states", golden.hidden_limit);
    if (verdicts.front().pooler_error) limits.number("pooler_output", golden.pooler_limit);
    object.member("limits") += limits.take();
    std::string& cases = object.member("cases");
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const Verdict& verdict = verdicts[i];
      JsonWriter one;
      if (golden.cases[i].text) one.string("text", *golden.cases[i].text);
      if (golden.cases[i].pair) one.string("pair", *golden.cases[i].pair);
      one.number("tokens", golden.cases[i].ids.size());
      if (verdict.same_ids) one.boolean("same_ids", *verdict.same_ids);
      one.number("hidden_states", verdict.hidden_error);
      if (verdict.pooler_error) one.number("pooler_output", *verdict.pooler_error);
      if (verdict.first_bad_layer) one.number("first_layer_over_limit", *verdict.first_bad_layer);
      one.boolean("passed", verdict.passed);
      cases += (i == 0 ? '[' : ',') + one.take();
    }
    cases += ']';
    return object.take() + "\n";
  }

  std::string against_;
  ComparedInput comparison_;
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace bert::cli
