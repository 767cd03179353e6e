// Tests the runtime. The thread sanitizer runs this test too, to find races.
#include "models/encoder/runtime.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "bert/model.h"
#include "tests/support/expect_error.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using Loan = Runtime::State::Loan;

// Returns whether a loan of `bytes` must wait for the loans that `release` ends.
bool waits(Runtime::State& state, size_t bytes, const std::function<void()>& release) {
  std::atomic<bool> is_made = false;
  std::thread borrower([&] {
    const Loan loan(state, bytes);
    is_made = true;
  });
  while (!is_made && state.waiting() == 0) std::this_thread::yield();
  const bool waited = !is_made;
  release();
  borrower.join();
  return waited;
}

TEST(Runtime, LetsAsManyPassesComputeAsItHasThreads) {
  Runtime::State state({.threads = 2}, 0);
  std::optional<Loan> first(std::in_place, state, 100), second(std::in_place, state, 100);
  EXPECT_TRUE(waits(state, 100, [&] { first.reset(); }));
  EXPECT_FALSE(waits(state, 100, [] {}));
}

TEST(Runtime, OfOneModelLetsNoCallerWait) {
  Runtime::State state({.threads = 1}, SIZE_MAX);
  const Loan first(state, 100), second(state, 100);
  EXPECT_FALSE(waits(state, 100, [] {}));
}

TEST(Runtime, HoldsAPassBackUntilItsMemoryIsFree) {
  Runtime::State state({.threads = 4, .memory_bytes = 1000}, 0);
  std::optional<Loan> first(std::in_place, state, 600);
  EXPECT_FALSE(waits(state, 400, [] {}));  // leaves an idle workspace of 400 bytes, which later loans may free
  EXPECT_FALSE(waits(state, 300, [] {}));
  EXPECT_TRUE(waits(state, 401, [&] { first.reset(); }));
  const Loan all(state, 1000);
}

TEST(Runtime, RefusesAPassThatNeverFits) {
  Runtime::State state({.threads = 1, .memory_bytes = 1000}, 0);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { Loan(state, 1001); }),
            "the pass needs 1001 bytes of scratch memory, expected at most the runtime's 1000");
}

TEST(Runtime, StartsPassesInTheOrderOfTheirCalls) {
  Runtime::State state({.threads = 3, .memory_bytes = 1000}, 0);
  std::optional<Loan> first(std::in_place, state, 600);
  std::atomic<bool> large_is_made = false, small_was_first = false;
  std::thread large([&] {
    const Loan loan(state, 1000);
    large_is_made = true;
  });
  while (state.waiting() != 1) std::this_thread::yield();
  std::thread small([&] {
    const Loan loan(state, 100);
    small_was_first = !large_is_made;
  });
  while (state.waiting() != 2) std::this_thread::yield();
  first.reset();
  large.join();
  small.join();
  EXPECT_FALSE(small_was_first);
}

TEST(Runtime, LendsTheWorkspaceThatFitsBest) {
  Runtime::State state({.threads = 4}, 0);
  const Workspace* large = nullptr;
  const Workspace* small = nullptr;
  {
    const Loan one(state, 1000), other(state, 100);
    large = &one.workspace();
    small = &other.workspace();
  }
  EXPECT_EQ(&Loan(state, 100).workspace(), small);
  EXPECT_EQ(&Loan(state, 101).workspace(), large);
  EXPECT_EQ(&Loan(state, 2000).workspace(), large);  // the workspace grows
}

TEST(Runtime, IsSharedByModelsAndOutlivesItsHandle) {
  const test::TemporaryDirectory folder;
  test::write_tiny_model(folder);
  const Model alone = Model::load(folder.path().string(), {.threads = 1});
  std::optional<Runtime> runtime(std::in_place, RuntimeOptions{.threads = 2});
  const Model one = Model::load(folder.path().string(), {.runtime = *runtime});
  const Model other = Model::load(folder.path().string(), {.runtime = *runtime});
  EXPECT_EQ(one.threads(), 2u);
  runtime.reset();
  const std::vector<float> expected = alone.embed("the fox");
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      const Model& model = caller % 2 == 0 ? one : other;
      for (int i = 0; i < 20; ++i) EXPECT_EQ(model.embed("the fox"), expected);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(Runtime, SaysWhatAPassNeedsThatExceedsItsMemory) {
  const test::TemporaryDirectory folder;
  test::write_tiny_model(folder);
  const size_t lengths[] = {2};
  const size_t two_tokens = Model::load(folder.path().string(), {.threads = 1}).cost(lengths).workspace_bytes;
  const Model model =
      Model::load(folder.path().string(), {.runtime = Runtime({.threads = 1, .memory_bytes = two_tokens})});
  EXPECT_EQ(model.embed("").size(), model.embedding_size());
  const std::string error =
      test::error_of(ErrorCode::kInvalidArgument, [&] { model.embed("the fox the fox the fox the fox the fox"); });
  EXPECT_NE(error.find("bytes of scratch memory, expected at most the runtime's " + std::to_string(two_tokens)),
            std::string::npos)
      << error;
}

}  // namespace
}  // namespace bert
