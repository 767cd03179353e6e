// Compares a tiny model of one of OwnHeadsModel's shapes with its float64 layer.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "models/config/config.h"
#include "tests/models/own_heads_model.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"

namespace bert::test {

inline std::vector<float> encode_one(const TemporaryDirectory& directory, const std::vector<int32_t>& ids) {
  const TokenSequence one{ids, {}, {}};
  return Model::load(directory.path().string(), {.threads = 2}).encode({&one, 1})[0].last_hidden_state;
}

// Expects that the last hidden states are near float64's and have the same bits on each instruction set.
inline void check_own_heads(OwnHeadsModel::Shape shape, const nlohmann::json& settings,
                            const OwnHeadsModel::Sight& sight) {
  const TemporaryDirectory directory;
  const OwnHeadsModel tiny(shape);
  tiny.write(directory, settings, "model.");
  const std::vector<int32_t> ids = some_ids(100);
  const std::vector<double> expected = tiny.encode(ids, sight);
  std::vector<float> first;
  for (const char* isa : kKernelIsas) {
    if (!cpu_has(isa)) continue;
    const WithVariable variable("BERT_INFER_ISA", isa);
    const std::vector<float> found = encode_one(directory, ids);
    EXPECT_TRUE(within(3e-5, found, expected)) << isa << ", " << settings;
    if (first.empty()) first = found;
    EXPECT_TRUE(same_bits(found, first)) << isa << ", " << settings;
  }
}

// Expects that each setting is refused, with its field's name in the message.
inline void expect_refused(const std::string& type, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::string text =
        R"({"model_type": ")" + type + R"(", "hidden_size": 24, "num_attention_heads": 2, )" + setting + "}";
    const std::string field = setting.substr(1, setting.find('"', 1) - 1);
    try {
      parse_config(text, "config.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(field), std::string::npos) << error.what();
    }
  }
}

}  // namespace bert::test
