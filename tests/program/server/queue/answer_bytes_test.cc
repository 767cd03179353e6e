#include "program/server/queue/answer_bytes.h"

#include <gtest/gtest.h>

#include <memory>

#include "bert/tasks.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using server::answer_bytes;
using server::kTextBytes;

class AnswerBytes : public ::testing::Test {
 protected:
  static std::shared_ptr<server::Job> job_of(TextTask task, const server::ServedModelPtr& model = nullptr) {
    auto job = std::make_shared<server::Job>();
    job->model = model;
    job->request.task = std::move(task);
    return job;
  }
  static server::ServedModelPtr builtin() {
    return std::make_shared<const server::ServedModel>(server::NamedDirectory{"a", ""}, Model::builtin());
  }
};

TEST_F(AnswerBytes, OfEntitiesAreKnownBeforeTheyAreStored) {
  const auto job = job_of(LabelRequest{});
  TextResult result;
  OutputSize size;
  std::vector<Entity> entities;
  for (const std::string word : {"fox", "dogs"}) {
    entities.push_back({.entity = std::string(1000, 'x'), .word = word});
    ++size.items;
    size.text_bytes += 1000 + word.size();
  }
  result.output = entities;
  EXPECT_EQ(answer_bytes(*job, size), answer_bytes(*job, result, false));
  EXPECT_GT(answer_bytes(*job, size), 2000 * kTextBytes);
}

TEST_F(AnswerBytes, OfScoresOfLabelsAreKnownBeforeTheyAreStored) {
  const auto job = job_of(ClassRequest{});
  TextResult result;
  result.output = std::vector<LabelScore>{{"sport", 0.5}, {"music", 0.5}};
  EXPECT_EQ(answer_bytes(*job, OutputSize{2, 10}), answer_bytes(*job, result, false));
}

TEST_F(AnswerBytes, OfVectorsGrowWithTheirNumbers) {
  const auto job = job_of(VectorRequest{});
  TextResult result;
  const size_t none = answer_bytes(*job, result, false);
  result.output = TextVectors{.dense = std::vector<float>(100)};
  EXPECT_EQ(answer_bytes(*job, result, false), none + 100 * (sizeof(float) + 16));
}

TEST_F(AnswerBytes, OfTokensHaveTheNamesOfSpecialTokensAndTheTextOfTheOthers) {
  const auto job = job_of(VectorRequest{}, builtin());
  job->request.task.reset();
  TextResult result;
  const size_t none = answer_bytes(*job, result, true);
  result.tokens.encoding.ids = {2, 5};  // these are [CLS] and a word
  result.tokens.encoding.special_tokens_mask = {1, 0};
  result.tokens.encoding.offsets = {{0, 0}, {0, 500}};
  const size_t name = job->model->model.tokenizer().token(2).size();
  const size_t both = answer_bytes(*job, result, true) - none;
  result.tokens.encoding.offsets[1].end = 0;
  const size_t without_text = answer_bytes(*job, result, true) - none;
  EXPECT_EQ(both - without_text, 500 * kTextBytes);
  result.tokens.encoding.special_tokens_mask[0] = 0;
  EXPECT_EQ(without_text - (answer_bytes(*job, result, true) - none), name * kTextBytes);
  EXPECT_EQ(answer_bytes(*job, result, false), none);
}

// The answers repeat the names of the model's two labels for each row of a classifier's logits, and for each token of a
// tagger's.
TEST_F(AnswerBytes, OfLogitsHaveTheModelsLabels) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  const std::string directory = folder.path().string();
  const auto served =
      std::make_shared<server::ServedModel>(server::NamedDirectory{"a", directory}, Model::load(directory));
  served->label_bytes = 3000;
  const server::ServedModelPtr model = served;
  TextResult result;
  result.output = Logits{.rows = 2, .outputs = 2, .values = {1, 2, 3, 4}};
  const size_t classified = answer_bytes(*job_of(HeadOptions{Head::kSequenceClassification}, model), result, false);
  EXPECT_GT(classified, 2 * 3000 * kTextBytes);
  const auto scores = job_of(HeadOptions{Head::kTokenClassification}, model);
  EXPECT_LT(answer_bytes(*scores, result, false), 1000u);  // /pooling returns no labels
  const auto entities = job_of(HeadOptions{Head::kTokenClassification}, model);
  entities->request.keeps_encoding = true;
  EXPECT_GT(answer_bytes(*entities, result, true), 2 * 3000 * kTextBytes);
}

}  // namespace
}  // namespace bert::test
