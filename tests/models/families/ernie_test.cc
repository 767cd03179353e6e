#include <gtest/gtest.h>

#include <cstring>

#include "tests/models/family_check.h"

namespace bert {
namespace {

void to_ernie(test::FamilyFiles& files) {
  for (test::TestTensor& tensor : files.tensors) tensor.name = "ernie." + tensor.name;
  files.config["model_type"] = "ernie";
  files.config["architectures"] = {"ErnieModel"};
}

TEST(ErnieFamily, IsBertByAnotherName) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  test::check_same_model(folder, to_ernie);
}

// One model has the segment's row in the table of tasks and zeros for the segments; the other has it as usual.
TEST(ErnieFamily, AddsTheFirstTask) {
  BERT_TEST_DATA_OR_SKIP(folder, "family/bert-odd-1");
  const test::FamilyFiles original = test::FamilyFiles::read(folder);
  const test::TemporaryDirectory same, with_tasks;
  const auto edited = [&](bool has_tasks) {
    test::FamilyFiles files = original;
    for (size_t i = 0; i < original.tensors.size(); ++i) {
      if (original.tensors[i].name != "embeddings.token_type_embeddings.weight") continue;
      test::TestTensor& segments = files.tensors[i];
      // The second segment gets the first one's row.
      const size_t row = segments.data.size() / 2;
      std::memcpy(segments.data.data() + row, segments.data.data(), row);
      if (!has_tasks) break;
      test::TestTensor tasks = segments;
      tasks.name = "embeddings.task_type_embeddings.weight";
      std::memset(segments.data.data(), 0, segments.data.size());
      files.tensors.push_back(tasks);
      files.config["use_task_id"] = true;
      files.config["task_type_vocab_size"] = 2;
      break;
    }
    to_ernie(files);
    return files;
  };
  edited(false).write(same);
  edited(true).write(with_tasks);
  const std::vector<int32_t> ids = {2, 5, 8, 3};
  const TokenSequence one{ids};
  EXPECT_EQ(Model::load(with_tasks.path().string()).encode({&one, 1})[0].last_hidden_state,
            Model::load(same.path().string()).encode({&one, 1})[0].last_hidden_state);
}

}  // namespace
}  // namespace bert
