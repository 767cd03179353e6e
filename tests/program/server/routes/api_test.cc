#include "program/server/routes/api.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

TEST(Api, CountsCharactersNotBytes) {
  server::Job job;
  job.texts = {{.text = "\u00e9\u4f60"}, {.text = "a", .pair = "bc"}};
  job.outputs.resize(2);
  job.outputs[0].tokens = 3;
  job.outputs[0].truncated_tokens = 1;
  job.outputs[1].tokens = 4;
  const server::Usage usage = server::usage_of(job);
  EXPECT_EQ(usage.characters, 5u);
  EXPECT_EQ(usage.tokens, 7u);
  EXPECT_EQ(usage.truncated_tokens, 1u);
}

}  // namespace
}  // namespace bert::test
