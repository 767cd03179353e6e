// The command verify: compares a converted model with the golden vectors next to its weights, which the converter
// computed in its own float64 forward pass. Compares the ids of the texts first, then hidden states and the pooled
// output. With --against compares two models on texts instead.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "bert/quantize.h"
#include "tools/cli/command.h"
#include "tools/cli/comparison.h"
#include "tools/cli/comparison_report.h"
#include "tools/cli/json_text.h"
#include "tools/cli/run_summary.h"
#include "tools/cli/table.h"

namespace bert::cli {
namespace {

constexpr const char* kGoldenFile = "verify.json";
constexpr int kVersion = 1;
constexpr uintmax_t kMaxBytes = 256 * 1024 * 1024;  // about ten times those of a large BERT

using Json = nlohmann::json;

struct GoldenCase {
  std::optional<std::string> text, pair;
  std::vector<int32_t> ids, type_ids;
  std::vector<double> last_hidden_state;     // [tokens, hidden]
  std::vector<double> first_token_by_layer;  // [layers + 1, hidden]
  std::vector<double> pooler_output;         // [hidden]; empty: the weights have no pooler
};

struct Golden {
  std::vector<std::pair<std::string, std::string>> digests;  // SHA-256 of files next to it; may be empty
  double hidden_limit = 0;
  double pooler_limit = 0;
  std::vector<GoldenCase> cases;
};

// The result of one case. Errors are the largest differences of two numbers.
struct Verdict {
  std::optional<bool> same_ids;  // nullopt: it has no text
  double hidden_error = 0;
  std::optional<size_t> first_bad_layer;  // for the first token; 0: the embeddings
  std::optional<double> pooler_error;
  bool passed = false;
};

// The problem with the file; read_golden() adds the file's name.
class NotGolden : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const Json& expect(bool is_so, const Json& value, const char* expected) {
  if (!is_so) throw NotGolden("found " + std::string(value.type_name()) + ", expected " + expected);
  return value;
}

const Json& array(const Json& value) { return expect(value.is_array(), value, "an array"); }
double number(const Json& value) { return expect(value.is_number(), value, "a number").get<double>(); }
std::string text(const Json& value) { return expect(value.is_string(), value, "a string").get<std::string>(); }

std::vector<int32_t> integers(const Json& value) {
  std::vector<int32_t> numbers;
  for (const Json& one : array(value)) {
    expect(one.is_number_integer(), one, "an integer");
    if (one < std::numeric_limits<int32_t>::min() || one > std::numeric_limits<int32_t>::max()) {
      throw NotGolden("found " + one.dump() + ", expected an integer of 32 bits");
    }
    numbers.push_back(one.get<int32_t>());
  }
  return numbers;
}

std::vector<double> flat(const Json& value, size_t rows, size_t width) {
  if (array(value).size() != rows) {
    throw NotGolden(std::to_string(value.size()) + " rows, expected " + std::to_string(rows));
  }
  std::vector<double> values;
  for (const Json& row : value) {
    if (array(row).size() != width) {
      throw NotGolden(std::to_string(row.size()) + " numbers in a row, expected " + std::to_string(width));
    }
    for (const Json& one : row) values.push_back(number(one));
  }
  return values;
}

// A member's parsed value; an error has the member's name.
template <class Read>
auto member(const Json& object, const char* name, const Read& read) {
  expect(object.is_object(), object, "an object");
  if (!object.contains(name)) throw NotGolden("no \"" + std::string(name) + "\"");
  try {
    return read(object.at(name));
  } catch (const NotGolden& error) {
    throw NotGolden("\"" + std::string(name) + "\": " + error.what());
  }
}

GoldenCase read_case(const Json& object, const Model& model) {
  const auto rows_of = [](size_t rows, size_t width) {
    return [=](const Json& value) { return flat(value, rows, width); };
  };
  GoldenCase golden;
  golden.ids = member(object, "ids", integers);
  golden.type_ids = member(object, "type_ids", integers);
  if (object.contains("text")) golden.text = member(object, "text", text);
  if (object.contains("pair")) golden.pair = member(object, "pair", text);
  const size_t hidden = model.config().hidden_size;
  golden.last_hidden_state = member(object, "last_hidden_state", rows_of(golden.ids.size(), hidden));
  golden.first_token_by_layer =
      member(object, "first_token_by_layer", rows_of(model.config().num_hidden_layers + 1, hidden));
  if (model.has_pooler() != object.contains("pooler_output")) {
    throw NotGolden(model.has_pooler() ? "no pooled output, and the model has one"
                                       : "a pooled output, and the model has none");
  }
  if (model.has_pooler()) {
    golden.pooler_output =
        member(object, "pooler_output", [&](const Json& value) { return flat(Json::array({value}), 1, hidden); });
  }
  return golden;
}

Golden read_all(const Json& json, const Model& model) {
  member(json, "version", [](const Json& value) {
    if (value != kVersion) throw NotGolden("found " + value.dump() + ", expected " + std::to_string(kVersion));
    return kVersion;
  });
  Golden golden;
  member(json, "limits", [&](const Json& limits) {
    golden.hidden_limit = member(limits, "hidden_states", number);
    if (model.has_pooler()) golden.pooler_limit = member(limits, "pooler_output", number);
    return true;
  });
  if (json.contains("sha256")) {
    const Json files = member(json.at("sha256"), "result", [](const Json& value) { return value; });
    expect(files.is_object(), files, "an object");
    for (const auto& [name, digest] : files.items()) golden.digests.emplace_back(name, text(digest));
  }
  golden.cases = member(json, "cases", [&](const Json& value) {
    std::vector<GoldenCase> cases;
    for (const Json& object : array(value)) {
      try {
        cases.push_back(read_case(object, model));
      } catch (const NotGolden& error) {
        throw NotGolden("case " + std::to_string(cases.size() + 1) + ": " + error.what());
      }
    }
    if (cases.empty()) throw NotGolden("no cases");
    return cases;
  });
  return golden;
}

// Throws NotGolden if it is not JSON, or has a duplicate key.
Json parse(std::istream& file) {
  std::vector<std::set<std::string>> keys;  // of each open object
  const auto check = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw NotGolden("the key " + parsed.dump() + " stands twice");
    }
    return true;
  };
  try {
    return Json::parse(file, check);
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 3: …"
    const std::string_view reason = error.what();
    throw NotGolden("not valid JSON: " + std::string(reason.substr(reason.find("] ") + 2)));
  }
}

Golden read_golden(const std::filesystem::path& path, const Model& model) {
  const std::string name = in_quotes(path.string());
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw Error(ErrorCode::kNotFound, name +
                                          ": no golden vectors; convert_weights.py and quantize write them next "
                                          "to the weights");
  }
  const auto refuse = [&](const std::string& what) { return Error(ErrorCode::kInvalidFile, name + ": " + what); };
  if (!std::filesystem::is_regular_file(status)) throw refuse("not a regular file, expected golden vectors");
  if (const uintmax_t bytes = std::filesystem::file_size(path, error); !error && bytes > kMaxBytes) {
    throw refuse(with_commas(bytes) + " bytes, expected golden vectors of at most " + with_commas(kMaxBytes));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw refuse("cannot be opened: " + std::string(std::strerror(errno)));
  try {
    return read_all(parse(file), model);
  } catch (const NotGolden& what) {
    throw refuse("not the golden vectors of this model (" + shortened(one_line(what.what())) + ")");
  }
}

// Files that are not those of the golden vectors would differ in every number.
void check_digests(const Golden& golden, const std::filesystem::path& directory) {
  for (const auto& [name, expected] : golden.digests) {
    const std::string found = file_sha256(directory / name);
    if (found == expected) continue;
    throw Error(ErrorCode::kInvalidFile, in_quotes((directory / name).string()) + ": SHA-256 " + found + ", expected " +
                                             shortened(one_line(expected)) + " as " + kGoldenFile + " says");
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
    declare_lengths(table, options);
    declare_truncation(table, options);
    declare_output(table, options, {"text", "json"});
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
    // Next to the weights, which may be in a folder of the model's directory.
    const std::filesystem::path path =
        std::filesystem::path(model.describe().files.front()).parent_path() / kGoldenFile;
    const Golden golden = read_golden(path, model);
    check_digests(golden, path.parent_path());
    std::vector<Verdict> verdicts;
    for (const GoldenCase& one : golden.cases) verdicts.push_back(judge(model, golden, one));
    const auto failed = static_cast<size_t>(
        std::count_if(verdicts.begin(), verdicts.end(), [](const Verdict& verdict) { return !verdict.passed; }));
    output.write(options.format == "json" ? json(golden, verdicts, failed) : text(golden, verdicts, failed));
    model.check_files();
    output.commit();
    return failed == 0 ? kDone : kFailed;
  }

 private:
  int compare_models(Console& console) {
    require_separate_page(options, comparison_.html);
    Output output(options.output, Output::Access::kStream);
    const Model model = load_model(options, console);
    Options other = options;
    other.model = against_;
    other.precision = Precision::kStored;
    const Comparison result = compare(model, load_model(other, console), options, comparison_, output, console);
    write_report(options, comparison_.html, output, comparison_report(result));
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

  std::string against_;
  ComparisonOptions comparison_;
};

}  // namespace

std::unique_ptr<Command> make_verify() { return std::make_unique<Verify>(); }

}  // namespace bert::cli
