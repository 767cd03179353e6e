// Tests which directories count as model2vec's. static_table_test.cc tests how their files are read.
#include "models/sentence/model2vec.h"

#include <gtest/gtest.h>

#include "tests/support/safetensors_writer.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

class Model2vecTest : public ::testing::Test {
 protected:
  std::optional<Model2vecConfig> read(const std::string& config, bool has_modules = false) const {
    directory_.write("config.json", config);
    return read_model2vec_config(DirectorySource(directory_.path()), has_modules);
  }
  void write(const std::vector<test::TestTensor>& tensors) const {
    directory_.write("model.safetensors", test::image_of(tensors));
  }
  static test::TestTensor tensor(const std::string& name, const std::vector<size_t>& shape) {
    size_t count = 1;
    for (const size_t size : shape) count *= size;
    return {name, "F32", shape, test::bytes_of(std::vector<float>(count))};
  }

  const test::TemporaryDirectory directory_;
};

TEST_F(Model2vecTest, IsNamedByItsModelTypeOrByModulesJson) {
  EXPECT_FALSE(read_model2vec_config(DirectorySource(directory_.path()), false));
  for (const auto& found : {read(R"({"model_type": "model2vec"})"), read(R"({"model_type": "bert"})", true)}) {
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->notices.empty());
  }
  EXPECT_FALSE(read(R"({"model_type": "bert"})"));
  EXPECT_FALSE(read("{}")) << "no weights";
}

TEST_F(Model2vecTest, WithoutAModelTypeIsFoundByItsTensors) {
  const std::vector<test::TestTensor> rows = {tensor("embeddings", {3, 2})};
  write(rows);
  EXPECT_EQ(read("{}")->notices.size(), 1u);
  EXPECT_FALSE(read(R"({"model_type": "bert"})"));
  EXPECT_FALSE(read(R"({"architectures": ["BertModel"]})"));
  EXPECT_FALSE(read("[]"));
  write({rows[0], tensor("mapping", {3}), tensor("weights", {3})});
  EXPECT_TRUE(read("{}"));
  write({rows[0], tensor("pooler", {3})});
  EXPECT_FALSE(read("{}"));
  write({tensor("embeddings", {3})});
  EXPECT_FALSE(read("{}"));
  write({tensor("weights", {3})});
  EXPECT_FALSE(read("{}"));
}

}  // namespace
}  // namespace bert
