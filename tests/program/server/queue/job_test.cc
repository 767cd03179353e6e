#include "program/server/queue/job.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using server::Job;

class JobTest : public ::testing::Test {
 protected:
  JobTest() {
    job_.model = std::make_shared<const server::ServedModel>(server::NamedDirectory{"a", ""}, Model::builtin());
  }

  const Model& model() const { return job_.model->model; }

  Job job_;
};

TEST_F(JobTest, CountsTheBytesOfTextsIdsAndWords) {
  EXPECT_EQ(server::bytes_of({.text = "ab", .pair = "c"}), 3u);
  TextItem ids, words;
  ids.ids = {7, 8, 9};
  words.words = {"a", "bc"};
  EXPECT_EQ(server::bytes_of(ids), 3 * sizeof(int32_t));
  EXPECT_EQ(server::bytes_of(words), 2 * sizeof(std::string) + 3);
}

TEST_F(JobTest, PutsThePromptBeforeAText) {
  job_.request.prompt = "query: ";
  job_.texts = {{.text = "a dog"}};
  EXPECT_EQ(server::queued_item(job_, 0).text, "query: a dog");
}

TEST_F(JobTest, CutsIdsToTheModelsLengthWithItsSpecialTokens) {
  TextItem ids;
  ids.ids.emplace(model().max_length() + 10, 7);
  job_.texts = {ids};
  size_t truncated = 0;
  const TextItem item = server::queued_item(job_, 0, &truncated);
  EXPECT_EQ(item.ids->size(), model().max_length());
  EXPECT_EQ(truncated, 12u);  // [CLS] and [SEP] need two of the places
}

TEST_F(JobTest, CutsATextToTheRequestsLength) {
  job_.request.max_length = 4;
  const std::vector<TextResult> cut = server::runner_of(job_).cut({.text = "a dog plays in the garden"});
  ASSERT_EQ(cut.size(), 1u);
  EXPECT_EQ(cut[0].tokens.encoding.size(), 4u);
}

}  // namespace
}  // namespace bert::test
