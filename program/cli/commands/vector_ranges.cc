#include "program/cli/commands/vector_ranges.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "program/cli/common.h"
#include "program/cli/input/input.h"
#include "program/cli/output/output.h"

namespace bert::cli {
namespace {

using Json = nlohmann::json;

std::vector<float> read_numbers(const std::string& file, const Json& ranges, const char* key, size_t size) {
  const std::string where = in_quotes(file) + ": \"" + key + "\" ";
  if (!ranges.is_object() || !ranges.contains(key))
    throw InputError(where + "is not there, expected a list of numbers");
  const Json& list = ranges[key];
  if (!list.is_array()) throw InputError(where + "is no list, expected one of " + std::to_string(size) + " numbers");
  if (list.size() != size) {
    throw InputError(where + "has " + std::to_string(list.size()) + " numbers, expected " + std::to_string(size) +
                     ", the size of the vectors");
  }
  std::vector<float> numbers;
  for (const Json& one : list) {
    const float number = one.is_number() ? one.get<float>() : std::nanf("");
    if (!std::isfinite(number)) {
      throw InputError(where + "has " + one.dump() + " at index " + std::to_string(numbers.size()) +
                       ", expected a finite number");
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

void write_ranges(const std::string& file, const VectorRanges& ranges, size_t texts) {
  JsonWriter object;
  object.number("texts", texts);
  object.numbers<float>("least", ranges.least);
  object.numbers<float>("greatest", ranges.greatest);
  Output output(file, Output::Access::kStream);
  output.write(object.take() + "\n");
  output.commit();
}

VectorRanges read_ranges(const std::string& file, size_t size) {
  std::ifstream stream(file);
  if (!stream) throw InputError("cannot open " + in_quotes(file) + ", expected ranges that --save-ranges wrote");
  const Json json = Json::parse(stream, nullptr, false);
  if (json.is_discarded()) throw InputError(in_quotes(file) + " is not JSON, expected ranges that --save-ranges wrote");
  VectorRanges ranges{read_numbers(file, json, "least", size), read_numbers(file, json, "greatest", size)};
  for (size_t i = 0; i < size; ++i) {
    if (ranges.least[i] <= ranges.greatest[i]) continue;
    throw InputError(in_quotes(file) + ": dimension " + std::to_string(i) + " has a least number above the greatest");
  }
  return ranges;
}

size_t count_outside(const VectorRanges& ranges, std::span<const float> vector) {
  size_t count = 0;
  for (size_t i = 0; i < vector.size(); ++i) {
    if (vector[i] < ranges.least[i] || vector[i] > ranges.greatest[i]) ++count;
  }
  return count;
}

}  // namespace bert::cli
