// Checks that a plan follows the configuration and the checkpoint, and that each tensor has its role.
#include "models/encoder/plan_reader.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/base/file_source.h"
#include "models/config/config.h"
#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class PlanReaderTest : public test::TinyModelTest {};

TEST_F(PlanReaderTest, FindsThePoolerByTheWeights) {
  for (const bool pooler : {true, false}) {
    const test::TemporaryDirectory directory;
    test::write_tiny_model(directory, {.pooler = pooler});
    WeightReader reader(Checkpoint::open(directory.path()), bert_family.weights, {});
    const ModelConfig config = read_config(DirectorySource(directory.path()));
    EXPECT_EQ(read_plan(config, bert_family, reader).pooler.has_value(), pooler);
  }
}

TEST_F(PlanReaderTest, GivesEveryTensorItsRole) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory, {.layers = 2});
  WeightReader reader(Checkpoint::open(directory.path()), bert_family.weights, {});
  const EncoderPlan plan = read_plan(read_config(DirectorySource(directory.path())), bert_family, reader);
  EXPECT_EQ(plan.layers.size(), 2u);
  EXPECT_EQ(plan.layer_schedule, (std::vector<std::vector<size_t>>{{0}, {1}}));
  const WeightStorage storage = reader.finish();
  std::map<WeightRole, size_t> counts;
  for (const WeightRole role : storage.roles) ++counts[role];
  // The model has three tables, a norm after the embeddings, two norms and six dense layers per layer, and the pooler's
  // dense layer.
  EXPECT_EQ(counts, (std::map<WeightRole, size_t>{{WeightRole::kTable, 3},
                                                  {WeightRole::kNorm, 2 * (1 + 2 * 2)},
                                                  {WeightRole::kProjection, 2 * (6 * 2 + 1)}}));
}

TEST_F(PlanReaderTest, LetsLaterLayersOfTheFileStayUnused) {
  test::write_tiny_model(directory_, {.layers = 3});
  ModelConfig config = read_config(DirectorySource(directory_.path()));
  config.num_hidden_layers = 1;
  WeightReader reader(Checkpoint::open(directory_.path()), bert_family.weights, {});
  EXPECT_EQ(read_plan(config, bert_family, reader).layers.size(), 1u);
  EXPECT_EQ(ignore_later_layers(config, bert_family, reader), 2u);
  EXPECT_EQ(ignore_later_layers(config, *find_family("albert"), reader), 0u) << "layers that share their tensors";
  EXPECT_TRUE(reader.finish().notices.empty());
}

TEST_F(PlanReaderTest, RefusesHalfAPooler) {
  const std::string error = test::refusal(
      ErrorCode::kNotFound, [&] { load({}, [](test::TinyTensors& tensors) { tensors.erase("pooler.dense.bias"); }); });
  EXPECT_NE(error.find("pooler.dense.bias"), std::string::npos) << error;
}

}  // namespace
}  // namespace bert
