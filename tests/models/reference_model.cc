#include "tests/models/reference_model.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/models/families/same_bits.h"
#include "tests/support/build_tree.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

nlohmann::json read_models() {
  std::ifstream file(source_directory() + "/tests/models/families/reference_models.json");
  return nlohmann::json::parse(file);
}

// Returns the same weights as weights() of reference_models.py.
std::vector<float> weights_of(const std::string& name, const std::vector<size_t>& shape) {
  uint64_t state = 0xCBF29CE484222325;
  for (const char byte : name) state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  size_t size = 1;
  for (const size_t dimension : shape) size *= dimension;
  const bool is_norm = shape.size() == 1 && name.ends_with(".weight");
  std::vector<float> values(size);
  for (float& value : values) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    value = static_cast<float>(static_cast<double>(z >> 40) / (1 << 25) - 0.25 + (is_norm ? 1 : 0));
  }
  return values;
}

}  // namespace

ReferenceModel::ReferenceModel(const std::string& family) : json_(read_models().at(family)), ids_(json_.at("texts")) {
  std::vector<TestTensor> tensors;
  for (const auto& [name, dimensions] : json_.at("tensors").items()) {
    const auto shape = dimensions.get<std::vector<size_t>>();
    tensors.push_back({name, "F32", shape, bytes_of(weights_of(name, shape))});
  }
  directory_.write("config.json", json_.at("config").dump());
  directory_.write("model.safetensors", image_of(tensors));
}

std::vector<std::string> ReferenceModel::families() {
  std::vector<std::string> names;
  const nlohmann::json models = read_models();  // a temporary would end before the loop
  for (const auto& [name, model] : models.items()) names.push_back(name);
  return names;
}

std::vector<TokenSequence> ReferenceModel::texts() const {
  std::vector<TokenSequence> texts;
  for (const std::vector<int32_t>& ids : ids_) texts.push_back({ids});
  return texts;
}

void ReferenceModel::check() const {
  const std::vector<TokenSequence> texts = this->texts();
  const auto found = expect_same_bits_everywhere(directory_.path(), texts, Precision::kStored);
  const Model model = load();
  ASSERT_EQ(model.heads().empty(), !json_.contains("logits"));
  const std::vector<Logits> logits =
      model.heads().empty() ? std::vector<Logits>() : model.logits(model.heads().front(), texts);
  const bool has_contacts = json_.contains("contacts");
  const std::vector<EncodedSequence> encoded = model.encode(texts, {.contacts = has_contacts});
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto expect_near = [&](const char* output, const std::vector<float>& values) {
      EXPECT_TRUE(within(json_[output]["limit"], values, json_[output]["values"][i].get<std::vector<double>>()));
    };
    expect_near("hidden", found[i].last_hidden_state);
    if (!logits.empty()) expect_near("logits", logits[i].values);
    if (has_contacts) expect_near("contacts", encoded[i].contacts);
  }
}

}  // namespace bert::test
