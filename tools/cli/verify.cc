// The command verify: a converted model against the golden vectors beside its weights, which the converter computed by
// a float64 forward pass of its own. The texts' ids are compared first, then the hidden states and the pooled output.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bert/error.h"
#include "tools/cli/command.h"
#include "tools/cli/job.h"
#include "tools/cli/json_text.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

constexpr const char* kGoldenFile = "verify.json";
constexpr int kVersion = 1;

struct GoldenCase {
  std::optional<std::string> text, pair;
  std::vector<int32_t> ids, type_ids;
  std::vector<double> last_hidden_state;     // [tokens, hidden]
  std::vector<double> first_token_by_layer;  // [layers + 1, hidden]
  std::vector<double> pooler_output;         // [hidden]; empty: the weights have no pooler
};

struct Golden {
  double hidden_limit = 0;
  double pooler_limit = 0;
  std::vector<GoldenCase> cases;
};

// What became of one case. Errors are the largest differences of two numbers.
struct Verdict {
  std::optional<bool> same_ids;  // none: it has no text
  double hidden_error = 0;
  std::optional<size_t> first_bad_layer;  // of the first token; 0: the embeddings
  std::optional<double> pooler_error;
  bool passed = false;
};

std::vector<double> flat(const nlohmann::json& array, size_t rows, size_t width) {
  if (array.size() != rows) throw std::length_error(std::to_string(array.size()) + " rows for " + std::to_string(rows));
  std::vector<double> values;
  for (const nlohmann::json& row : array) {
    if (row.size() != width) {
      throw std::length_error(std::to_string(row.size()) + " numbers in a row of " + std::to_string(width));
    }
    for (const nlohmann::json& value : row) values.push_back(value.get<double>());
  }
  return values;
}

GoldenCase read_case(const nlohmann::json& object, const Model& model) {
  GoldenCase golden;
  if (object.contains("text")) golden.text = object.at("text").get<std::string>();
  if (object.contains("pair")) golden.pair = object.at("pair").get<std::string>();
  golden.ids = object.at("ids").get<std::vector<int32_t>>();
  golden.type_ids = object.at("type_ids").get<std::vector<int32_t>>();
  const size_t hidden = model.config().hidden_size;
  golden.last_hidden_state = flat(object.at("last_hidden_state"), golden.ids.size(), hidden);
  golden.first_token_by_layer = flat(object.at("first_token_by_layer"), model.config().num_hidden_layers + 1, hidden);
  if (model.has_pooler() != object.contains("pooler_output")) {
    throw std::length_error(model.has_pooler() ? "no pooled output, and the model has one"
                                               : "a pooled output, and the model has none");
  }
  if (model.has_pooler()) {
    golden.pooler_output = flat(nlohmann::json::array({object.at("pooler_output")}), 1, hidden);
  }
  return golden;
}

Golden read_golden(const std::filesystem::path& path, const Model& model) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw Error(ErrorCode::kNotFound, in_quotes(path.string()) +
                                          ": there are no golden vectors; convert_weights.py writes them beside the "
                                          "weights of a BERT that it converts");
  }
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    if (json.at("version") != kVersion) throw std::length_error("version " + json.at("version").dump());
    Golden golden;
    golden.hidden_limit = json.at("limits").at("hidden_states").get<double>();
    if (model.has_pooler()) golden.pooler_limit = json.at("limits").at("pooler_output").get<double>();
    for (const nlohmann::json& object : json.at("cases")) golden.cases.push_back(read_case(object, model));
    if (golden.cases.empty()) throw std::length_error("no cases");
    return golden;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(ErrorCode::kInvalidFile,
                in_quotes(path.string()) + ": not the golden vectors of this model (" + one_line(error.what()) + ")");
  }
}

double largest_error(std::span<const float> got, std::span<const double> expected) {
  if (got.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (size_t i = 0; i < got.size(); ++i) largest = std::max(largest, std::abs(double{got[i]} - expected[i]));
  return largest;
}

Verdict judge(const Model& model, const Golden& golden, const GoldenCase& one) {
  Verdict verdict;
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
    if (!verdict.first_bad_layer && error > golden.hidden_limit) verdict.first_bad_layer = layer;
    verdict.hidden_error = std::max(verdict.hidden_error, error);
  }
  verdict.hidden_error =
      std::max(verdict.hidden_error, largest_error(encoded.last_hidden_state, one.last_hidden_state));
  if (model.has_pooler()) verdict.pooler_error = largest_error(encoded.pooler_output, one.pooler_output);
  verdict.passed = verdict.same_ids.value_or(true) && verdict.hidden_error <= golden.hidden_limit &&
                   verdict.pooler_error.value_or(0) <= golden.pooler_limit;
  return verdict;
}

class Verify : public Command {
 public:
  void declare(OptionTable& table) override {
    declare_model(table, options);
    declare_output(table, options, {"text", "json"});
  }

  int run(Console& console) override {
    require_no_text(options, "verify", ", but --model DIR");
    if (options.model.empty()) throw UsageError("verify needs --model DIR: the built-in model was not converted");
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    const std::filesystem::path path = find_model(options.model, options.revision) / kGoldenFile;
    const Golden golden = read_golden(path, model);
    std::vector<Verdict> verdicts;
    for (const GoldenCase& one : golden.cases) verdicts.push_back(judge(model, golden, one));
    const auto failed = static_cast<size_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return !verdict.passed; }));
    output.write(options.format == "json" ? json(golden, verdicts, failed) : text(golden, verdicts, failed));
    output.commit();
    return failed == 0 ? kDone : kFailed;
  }

 private:
  static std::string text(const Golden& golden, const std::vector<Verdict>& verdicts, size_t failed) {
    Table table({{"case", Align::kRight},
                 {"tokens", Align::kRight},
                 {"ids"},
                 {"hidden states", Align::kRight},
                 {"pooled output", Align::kRight},
                 {""}});
    std::string ends = "The largest error allowed is " + significant(golden.hidden_limit, 2) + " in hidden states";
    if (verdicts.front().pooler_error) ends += ", " + significant(golden.pooler_limit, 2) + " in pooled outputs";
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
    return table.text(false) + "\n" + ends + ".\n" +
           (failed == 0 ? "All " + count + " passed.\n" : std::to_string(failed) + " of " + count + " failed.\n");
  }

  static std::string json(const Golden& golden, const std::vector<Verdict>& verdicts, size_t failed) {
    JsonObject object;
    object.boolean("passed", failed == 0);
    JsonObject limits;
    limits.number("hidden_states", golden.hidden_limit);
    if (verdicts.front().pooler_error) limits.number("pooler_output", golden.pooler_limit);
    object.member("limits") += limits.take();
    std::string& cases = object.member("cases");
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const Verdict& verdict = verdicts[i];
      JsonObject one;
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
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace bert::cli
