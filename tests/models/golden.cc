#include "tests/models/golden.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/test_data.h"

namespace bert::test {
namespace {

using Json = nlohmann::json;

double largest_number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  double largest = 0;
  if (json.is_structured()) {
    for (const Json& value : json) largest = std::max(largest, largest_number(value));
  }
  return largest;
}

GoldenCase read_case(const Json& json) {
  GoldenCase c;
  c.id = json["id"];
  c.kind = json["kind"];
  if (json.contains("text")) c.text = json["text"];
  if (json.contains("pair")) c.pair = json["pair"];
  c.ids = json["input_ids"].get<std::vector<int32_t>>();
  c.type_ids = json["token_type_ids"].get<std::vector<int32_t>>();
  c.mask = json["attention_mask"].get<std::vector<uint8_t>>();
  c.row_offset = json["row_offset"];
  for (const Json& layer : json["layers"]) c.layers.push_back({layer["mean"], layer["std"], layer["absmax"]});
  if (json.contains("attention_entropy")) c.entropies = json["attention_entropy"].get<decltype(c.entropies)>();
  return c;
}

}  // namespace

bool GoldenCase::is_masked() const { return std::find(mask.begin(), mask.end(), 0) != mask.end(); }

std::vector<double> Golden::hidden(const GoldenCase& c) const {
  std::vector<double> rows;
  for (size_t token = 0; token < c.ids.size(); ++token) {
    if (c.mask[token] == 0) continue;
    const auto row = last_hidden_state.rows(c.row_offset + token, 1);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

Golden read_golden(const std::filesystem::path& folder) {
  Golden golden;
  const Json index = Json::parse(read_file(folder / "index.json"));
  const Json& cases = index.is_array() ? index : index["cases"];
  for (const Json& json : cases) {
    golden.cases.push_back(read_case(json));
    golden.cases.back().index = golden.cases.size() - 1;
  }
  golden.sample_deviation = !index.is_array();  // torch wrote these statistics, numpy the others
  golden.reference_error =
      largest_number(index.is_array() ? Json::parse(read_file(folder / "float32_error.json")) : index["float32_error"]);
  golden.last_hidden_state = read_npy(folder / "last_hidden_state.f64.npy");
  golden.pooler_output = read_npy(folder / "pooler_output.f64.npy");
  if (std::filesystem::exists(folder / "embedding.f64.npy")) golden.embedding = read_npy(folder / "embedding.f64.npy");
  return golden;
}

}  // namespace bert::test
