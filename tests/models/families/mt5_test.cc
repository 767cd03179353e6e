#include <gtest/gtest.h>

#include "bert/model.h"
#include "models/config/family.h"
#include "tests/models/families/t5_model.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// The same weights give the same bits under both types. mT5 has a gate even if its configuration does not name it.
TEST(Mt5Family, IsT5WithAGate) {
  const test::T5Model model(8, {.hidden = 24, .heads = 3, .size = 7, .inner = 33, .gated = true});
  const test::TemporaryDirectory t5, mt5;
  model.write(t5);
  model.write(mt5);
  nlohmann::json config = model.config();
  config["model_type"] = "mt5";
  config.erase("feed_forward_proj");
  mt5.write("config.json", config.dump());
  const std::vector<int32_t> ids = {5, 9, 1, 40, 3};
  const TokenSequence sequence{ids};
  const auto states = [&](const test::TemporaryDirectory& directory) {
    return Model::load(directory.path().string(), {.threads = 1}).encode({&sequence, 1})[0].last_hidden_state;
  };
  EXPECT_TRUE(test::same_bits(states(mt5), states(t5)));
  EXPECT_EQ(find_family("mt5")->defaults.vocab_size, 250112u);
}

}  // namespace
}  // namespace bert
