#include "tasks/labels/label_request.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner.h"

namespace bert {
namespace {

struct LabelModel {
  test::TemporaryDirectory directory;
  Model model;
  explicit LabelModel(const test::TinyGliner& form = {}) : model(load(form)) {}
  Model load(const test::TinyGliner& form) const {
    test::write_tiny_gliner(directory, form);
    return Model::load(directory.path().string(), {.threads = 1});
  }
};

TEST(LabelRequest, IsChecked) {
  const LabelModel tiny;
  const auto refusal = [&](const LabelRequest& request) {
    return test::error_of(ErrorCode::kInvalidArgument, [&] { find_entities(tiny.model, "the dog", request); });
  };
  EXPECT_EQ(refusal({}), "no labels, expected at least one");
  EXPECT_EQ(refusal({.labels = {"dog", ""}}), "an empty label, expected text in each");
  EXPECT_EQ(refusal({.labels = {"dog", "fox"}, .names = {"animal"}}), "1 names of labels, expected 2, one for each");
  EXPECT_EQ(refusal({.labels = {"dog"}, .threshold = 1.5}), "threshold 1.500000, expected 0 to 1");
  EXPECT_EQ(refusal({.labels = std::vector<std::string>(1001, "dog")}), "1001 labels, expected at most 1000");
}

TEST(LabelRequest, CountsARepeatedLabelOnceAndShowsItsFirstName) {
  const LabelModel tiny;
  const PreparedLabels labels =
      prepare_labels(tiny.model, LabelRequest{.labels = {"dog", "fox", "dog"}, .names = {"a", "b", "c"}});
  EXPECT_EQ(labels.request.labels, (std::vector<std::string>{"dog", "fox"}));
  EXPECT_EQ(labels.request.names, (std::vector<std::string>{"a", "b"}));
  const auto named =
      find_entities(tiny.model, "the lazy dog", {.labels = {"dog"}, .names = {"animal"}, .threshold = 0});
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(named[0].entity, "animal");
}

TEST(LabelRequest, IsForModelsThatReadLabels) {
  const Model builtin = Model::builtin({.threads = 1});
  EXPECT_FALSE(reads_labels(builtin, LabelTask::kEntities));
  EXPECT_EQ(test::error_of(ErrorCode::kUnsupported, [&] { find_entities(builtin, "a", {.labels = {"b"}}); }),
            "the built-in model does not read labels for entities, expected a GLiNER model");
  const LabelModel gliner;
  EXPECT_TRUE(reads_labels(gliner.model, LabelTask::kEntities));
  EXPECT_FALSE(reads_labels(gliner.model, LabelTask::kClasses));
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { score_labels(gliner.model, "a", {.labels = {"b"}}); })
                .find("does not read labels for classes, expected a GLiClass model"),
            std::string::npos);
}

TEST(LabelRequest, HasAVectorForEachLabelOfABiEncoder) {
  const LabelModel tiny({.encodes_labels = true});
  const PreparedLabels labels = prepare_labels(tiny.model, LabelRequest{.labels = {"dog", "fox"}});
  const ConstMatrixView vectors = label_vectors(tiny.model, labels);
  EXPECT_EQ(vectors.rows, 2u);
  EXPECT_EQ(vectors.cols, 24u);
  EXPECT_EQ(label_vectors(tiny.model, labels).data, vectors.data);
  const PreparedLabels fox = prepare_labels(tiny.model, LabelRequest{.labels = {"fox"}});
  const ConstMatrixView other = label_vectors(tiny.model, fox);
  EXPECT_TRUE(std::equal(other.row(0), other.row(0) + other.cols, vectors.row(1)));
  EXPECT_EQ(label_vectors(LabelModel().model, labels).rows, 0u);
}

}  // namespace
}  // namespace bert
