#include "program/cli/input/golden_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string_view>

#include "bert/error.h"
#include "bert/quantize.h"
#include "program/cli/common.h"
#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

constexpr const char* kGoldenFile = "verify.json";
constexpr int kVersion = 1;
constexpr uintmax_t kMaxBytes = 256 * 1024 * 1024;  // about ten times the size for a large BERT

using Json = nlohmann::json;

// Thrown with the problem of the file; read_golden() adds the file's name.
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
std::string string(const Json& value) { return expect(value.is_string(), value, "a string").get<std::string>(); }

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

// Returns a member's parsed value; an error names the member.
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
  if (object.contains("text")) golden.text = member(object, "text", string);
  if (object.contains("pair")) golden.pair = member(object, "pair", string);
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
  if (json.contains("arithmetic")) {
    golden.arithmetic = member(json, "arithmetic", [](const Json& value) {
      return expect(value.is_number_integer(), value, "an integer").get<int>();
    });
  }
  if (json.contains("sha256")) {
    const Json files = member(json.at("sha256"), "result", [](const Json& value) { return value; });
    expect(files.is_object(), files, "an object");
    for (const auto& [name, digest] : files.items()) golden.digests.emplace_back(name, string(digest));
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

// Parses the file. Throws NotGolden if it is not JSON, or has a duplicate key.
Json parse(std::istream& file) {
  std::vector<std::set<std::string>> keys;  // for each open object
  const auto check = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw NotGolden("duplicate key " + parsed.dump());
    }
    return true;
  };
  try {
    return Json::parse(file, check);
  } catch (const Json::exception& error) {
    // reason: "[json.exception.parse_error.101] parse error at line 1, column 3: …"
    const std::string_view reason = error.what();
    throw NotGolden("not valid JSON: " + std::string(reason.substr(reason.find("] ") + 2)));
  }
}

}  // namespace

Golden read_golden(const Model& model) {
  // The file is next to the weights, which may be in a folder of the model's directory.
  const std::filesystem::path path = std::filesystem::path(model.describe().files.front()).parent_path() / kGoldenFile;
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
    Golden golden = read_all(parse(file), model);
    golden.directory = path.parent_path();
    return golden;
  } catch (const NotGolden& what) {
    throw refuse("not the golden vectors of this model (" + shortened(one_line(what.what())) + ")");
  }
}

// If the files are not those of the golden vectors, every number would differ.
void check_digests(const Golden& golden) {
  for (const auto& [name, expected] : golden.digests) {
    const std::string found = file_sha256(golden.directory / name);
    if (found == expected) continue;
    throw Error(ErrorCode::kInvalidFile, in_quotes((golden.directory / name).string()) + ": SHA-256 " + found +
                                             ", expected " + shortened(one_line(expected)) + " as " + kGoldenFile +
                                             " says");
  }
}

}  // namespace bert::cli
