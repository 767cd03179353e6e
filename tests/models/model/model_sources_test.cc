// What a directory's model is made of. Models that read labels are in label_forms_test.cc; what goes wrong in a
// directory is in model_test.cc.
#include "models/model/model_sources.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(ModelSources, AreOfTheDirectorysKind) {
  const test::TemporaryDirectory encoder, labels;
  test::write_tiny_model(encoder);
  test::write_tiny_gliner(labels);
  const ModelSources of_encoder = find_sources(encoder.path(), {}, {});
  EXPECT_EQ(of_encoder.config.hidden_size, 24u);
  EXPECT_EQ(of_encoder.prefix, "");
  EXPECT_FALSE(of_encoder.read_labels);
  EXPECT_TRUE(find_sources(labels.path(), {}, {}).read_labels);
  EXPECT_EQ(builtin_sources({}, {}).directory, std::nullopt);
}

TEST(ModelSources, AreOfTheFirstLayersIfAsked) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  const ModelSources sources = find_sources(directory.path(), {}, {.layers = 1});
  EXPECT_EQ(sources.config.num_hidden_layers, 1u);
}

}  // namespace
}  // namespace bert
