#include "program/server/queue/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <optional>
#include <thread>

#include "tests/models/allocations.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using server::Job;
using server::Scheduler;

class SchedulerTest : public ::testing::Test {
 protected:
  std::shared_ptr<Job> job_of(size_t texts, const std::string& text = "a dog") const {
    auto job = std::make_shared<Job>();
    job->model = model_;
    job->texts.assign(texts, TextItem{.text = text});
    job->finished = [](Job&) {};
    return job;
  }

  const server::ServedModelPtr model_ =
      std::make_shared<const server::ServedModel>(server::NamedDirectory{"a", ""}, Model::builtin());
};

// Bits depend neither on other texts nor on the batches.
TEST_F(SchedulerTest, GivesTheSameBitsAsATextAlone) {
  Scheduler scheduler({.threads = 2, .batch_tokens = 16});
  std::vector<std::shared_ptr<Job>> jobs;
  std::vector<std::future<void>> done;
  const std::string words[] = {"a dog", "the stock market fell yesterday", "x", "somebody plays a guitar on a roof"};
  for (size_t i = 0; i < 12; ++i) {
    auto job = job_of(0);
    for (size_t k = 0; k < 5; ++k) job->texts.push_back({.text = words[(i + k) % 4]});
    const auto promise = std::make_shared<std::promise<void>>();
    done.push_back(promise->get_future());
    job->finished = [promise](Job&) { promise->set_value(); };
    jobs.push_back(job);
    ASSERT_TRUE(scheduler.submit(job));
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    done[i].get();
    for (size_t k = 0; k < 5; ++k)
      EXPECT_EQ(std::get<TextVectors>(jobs[i]->outputs[k].output).dense, model_->model.embed(words[(i + k) % 4]));
  }
  EXPECT_EQ(scheduler.texts(), 0u);
}

// A first job keeps the only thread busy while a short and a long job wait. Then their texts are computed alternately.
TEST_F(SchedulerTest, AShortRequestOvertakesALongOne) {
  std::promise<void> may_go_on;
  std::shared_future<void> gate = may_go_on.get_future().share();
  std::mutex mutex;
  std::vector<std::string> order;
  std::promise<void> all_done;
  Scheduler scheduler({.threads = 1, .batch_tokens = 8});
  auto first = job_of(1);
  first->finished = [gate](Job&) { gate.wait(); };
  ASSERT_TRUE(scheduler.submit(first));
  const auto named = [&](size_t texts, const std::string& name) {
    auto job = job_of(texts);
    job->finished = [&, name](Job&) {
      const std::lock_guard<std::mutex> lock(mutex);
      order.push_back(name);
      if (order.size() == 2) all_done.set_value();
    };
    return job;
  };
  ASSERT_TRUE(scheduler.submit(named(50, "long")));
  ASSERT_TRUE(scheduler.submit(named(2, "short")));
  may_go_on.set_value();
  all_done.get_future().get();
  EXPECT_EQ(order, (std::vector<std::string>{"short", "long"}));
}

// The thread that submits the text computes it, with the same bits.
TEST_F(SchedulerTest, LetsTheCallerComputeOneShortText) {
  Scheduler scheduler({.threads = 2});
  std::promise<std::thread::id> computed_by;
  auto job = job_of(1);
  job->finished = [&](Job&) { computed_by.set_value(std::this_thread::get_id()); };
  // Waits, because a thread that has just started or finished a batch looks for texts once more.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ASSERT_TRUE(scheduler.submit(job, server::Wake::kWhenCaughtUp));
  scheduler.caught_up();
  EXPECT_EQ(computed_by.get_future().get(), std::this_thread::get_id());
  EXPECT_EQ(std::get<TextVectors>(job->outputs[0].output).dense, model_->model.embed("a dog"));
  EXPECT_EQ(scheduler.texts(), 0u);
  scheduler.caught_up();  // there is nothing to do
}

// The scheduler's threads compute several texts, a long text, and a short text while another is computed.
TEST_F(SchedulerTest, LeavesMoreThanOneShortTextToItsThreads) {
  Scheduler scheduler({.threads = 1, .short_flops = 1e8});
  const auto thread_of = [&](std::shared_ptr<Job> job, size_t times = 1) {
    std::vector<std::promise<std::thread::id>> threads(times);
    for (std::promise<std::thread::id>& thread : threads) {
      auto one = job_of(job->texts.size(), job->texts[0].text);
      one->finished = [&](Job&) { thread.set_value(std::this_thread::get_id()); };
      EXPECT_TRUE(scheduler.submit(one, server::Wake::kWhenCaughtUp));
    }
    scheduler.caught_up();
    std::vector<std::thread::id> found;
    for (std::promise<std::thread::id>& thread : threads) found.push_back(thread.get_future().get());
    return found;
  };
  std::string long_text;
  for (size_t i = 0; i < 400; ++i) long_text += "a dog ";
  EXPECT_NE(thread_of(job_of(2))[0], std::this_thread::get_id());
  for (const std::thread::id id : thread_of(job_of(1), 2)) EXPECT_NE(id, std::this_thread::get_id());
  EXPECT_NE(thread_of(job_of(1, long_text))[0], std::this_thread::get_id());
}

TEST_F(SchedulerTest, RefusesMoreTextsThanItHolds) {
  std::promise<void> may_go_on;
  std::shared_future<void> gate = may_go_on.get_future().share();
  std::promise<void> begun;
  Scheduler scheduler({.threads = 1, .max_texts = 3, .max_bytes = 100});
  auto first = job_of(1);
  first->finished = [&](Job&) {
    begun.set_value();
    gate.wait();
  };
  ASSERT_TRUE(scheduler.submit(first));
  begun.get_future().get();
  auto waiting = job_of(2);
  EXPECT_TRUE(scheduler.submit(waiting));
  EXPECT_FALSE(scheduler.submit(job_of(2)));
  EXPECT_FALSE(scheduler.has_room(2, 0));
  EXPECT_TRUE(scheduler.has_room(1, 90));
  EXPECT_FALSE(scheduler.has_room(1, 91));  // the waiting texts have 10 bytes
  bool called = false;
  waiting->finished = [&](Job&) { called = true; };
  scheduler.cancel(waiting);
  EXPECT_EQ(scheduler.texts(), 0u);
  EXPECT_TRUE(scheduler.has_room(3, 100));
  may_go_on.set_value();
  auto last = job_of(1);
  std::promise<void> last_done;
  last->finished = [&](Job&) { last_done.set_value(); };
  ASSERT_TRUE(scheduler.submit(last));
  last_done.get_future().get();
  EXPECT_FALSE(called);
}

TEST_F(SchedulerTest, ReportsWhatFailsForEveryTextAtOnce) {
  Scheduler scheduler({.threads = 1});
  auto job = job_of(1);
  job->request.task = VectorRequest{.dense = EmbedOptions{}, .prompt = "no such prompt"};
  EXPECT_THROW(scheduler.submit(job), Error);
  job = job_of(1);
  job->request.task = HeadOptions{Head::kSequenceClassification};
  EXPECT_THROW(scheduler.submit(job), Error);
  EXPECT_EQ(scheduler.texts(), 0u);
}

// The word "lazy" has a NaN in its vector.
TEST_F(SchedulerTest, ATextThatFailsLeavesTheOthersOfItsBatch) {
  const TemporaryDirectory folder;
  write_tiny_model(folder, {}, [](TinyTensors& tensors) {
    constexpr size_t kLazy = 11;
    tensors["embeddings.word_embeddings.weight"].values[kLazy * 24] = std::numeric_limits<float>::quiet_NaN();
  });
  const std::string directory = folder.path().string();
  const auto served =
      std::make_shared<const server::ServedModel>(server::NamedDirectory{"b", directory}, Model::load(directory));
  Scheduler scheduler({.threads = 1});
  auto job = job_of(2, "the fox");
  job->model = served;
  job->texts.insert(job->texts.begin() + 1, {.text = "the lazy dog"});
  std::promise<void> done;
  job->finished = [&](Job&) { done.set_value(); };
  ASSERT_TRUE(scheduler.submit(job));
  done.get_future().get();
  EXPECT_EQ(std::get<TextVectors>(job->outputs[0].output).dense, served->model.embed("the fox"));
  EXPECT_EQ(std::get<TextVectors>(job->outputs[2].output).dense, std::get<TextVectors>(job->outputs[0].output).dense);
  ASSERT_TRUE(job->outputs[1].error.has_value());
  EXPECT_EQ(job->outputs[1].error->code(), ErrorCode::kNonFinite);
}

TEST_F(SchedulerTest, GivesATextWhosePassRunsOutOfMemoryItsOwnError) {
#if BERT_SANITIZED
  GTEST_SKIP() << "SKIPPED, a sanitizer has its own allocator";
#endif
  const auto served =
      std::make_shared<const server::ServedModel>(server::NamedDirectory{"a", ""}, Model::builtin({.threads = 1}));
  const Model roomy = Model::builtin();
  auto job = job_of(0);
  job->model = served;
  std::vector<std::vector<float>> expected;
  for (size_t i = 0; i < 1000; ++i) {
    std::string text = "dog";
    for (size_t word = i * 7 % 20; word > 0; --word) text += word % 2 == 0 ? " the" : " man";
    expected.push_back(roomy.embed(text));
    job->texts.push_back({.text = std::move(text)});
  }
  std::promise<void> done;
  job->finished = [&](Job&) { done.set_value(); };
  constexpr size_t kTokens = 12;
  {
    const LargestAllocation limit(served->model.cost({&kTokens, 1}).workspace_bytes);
    Scheduler scheduler({.threads = 1});
    ASSERT_TRUE(scheduler.submit(job));
    done.get_future().get();
  }
  size_t failures = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (job->outputs[i].tokens > kTokens) {
      ASSERT_TRUE(job->outputs[i].error) << i;
      EXPECT_EQ(job->outputs[i].error->code(), ErrorCode::kOutOfMemory);
      EXPECT_STREQ(job->outputs[i].error->what(), "not enough memory for a forward pass of this text");
      ++failures;
    } else {
      EXPECT_EQ(std::get<TextVectors>(job->outputs[i].output).dense, expected[i]) << i;
    }
  }
  EXPECT_GT(failures, 0u);
  EXPECT_LT(failures, expected.size());
}

TEST_F(SchedulerTest, KeepsTheMemoryOfAnswersWithinItsBudget) {
  const size_t one = (sizeof(float) + 16) * model_->model.embedding_size();
  auto scheduler = std::make_unique<Scheduler>(
      server::SchedulerOptions{.threads = 2, .batch_tokens = 8, .max_answer_bytes = 20 * one});
  const auto run = [&](size_t texts) {
    std::promise<void> done;
    auto job = job_of(texts);
    job->finished = [&](Job&) { done.set_value(); };
    EXPECT_TRUE(scheduler->submit(job));
    done.get_future().get();
    return job;
  };
  const auto failed = [](const Job& job) {
    return std::count_if(job.outputs.begin(), job.outputs.end(),
                         [](const auto& output) { return output.lacks_memory; });
  };
  const auto too_large = run(100);
  EXPECT_TRUE(too_large->exceeds_budget);
  EXPECT_GT(failed(*too_large), 50);
  too_large->share.reset();
  auto first = run(12);
  EXPECT_EQ(failed(*first), 0);
  const auto second = run(12);
  EXPECT_FALSE(second->exceeds_budget);  // the first answer is not sent yet
  EXPECT_GT(failed(*second), 0);
  second->share.reset();
  first->share.reset();
  first = run(12);
  EXPECT_EQ(failed(*first), 0);
  scheduler.reset();  // must end before the share
}

TEST_F(SchedulerTest, ReservesEntitiesBeforeTheyHaveTheirNamesAndCountsThemOnce) {
  const TemporaryDirectory folder;
  write_tiny_gliner(folder, {.encodes_labels = true});
  const auto served = std::make_shared<const server::ServedModel>(
      server::NamedDirectory{"names", folder.path().string()}, Model::load(folder.path().string()));
  const LabelRequest request{
      .labels = {"fox", "a " + std::string(4000, 'x')}, .threshold = 0, .nested = true, .multi_label = true};
  const std::string text = "the fox jumps";
  size_t bytes = 0;
  for (const Entity& entity : find_entities(served->model, text, request)) {
    bytes += sizeof(Entity) + 256 + 8 * (entity.entity.size() + entity.word.size());
  }
  ASSERT_GT(bytes, 90'000u);
  for (const size_t budget : {2 * bytes, 10 * bytes}) {
    Scheduler scheduler({.threads = 1, .max_answer_bytes = budget});
    std::promise<void> done;
    auto job = job_of(5, text);
    job->model = served;
    job->request.task = request;
    job->finished = [&](Job&) { done.set_value(); };
    ASSERT_TRUE(scheduler.submit(job));
    done.get_future().get();
    const bool fits = budget > 5 * bytes;
    EXPECT_EQ(job->exceeds_budget, !fits);
    EXPECT_EQ(job->share->share.bytes(), (fits ? 5 : 1) * bytes);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(job->outputs[i].lacks_memory, !fits) << i;
      EXPECT_EQ(std::holds_alternative<std::vector<Entity>>(job->outputs[i].output), fits) << i;
    }
  }
}

// Several kinds in one request take one pass and have the bits of each kind alone. A long text is truncated, also with
// a role: the role's length applies only if nothing but token vectors is asked for.
TEST_F(SchedulerTest, ComputesSeveralKindsOfVectorsAtOnce) {
  const TemporaryDirectory folder;
  write_tiny_m3(folder);
  const std::string directory = folder.path().string();
  const auto served =
      std::make_shared<const server::ServedModel>(server::NamedDirectory{"m3", directory}, Model::load(directory));
  std::string text;
  while (text.size() < 4 * served->model.max_positions()) text += "the fox ";
  for (const std::optional<TextRole> role : {std::optional<TextRole>(), std::optional(TextRole::kDocument)}) {
    const VectorRequest request{.dense = EmbedOptions{}, .sparse = SparseOptions{}, .tokens = true, .role = role};
    Scheduler scheduler({.threads = 1});
    auto job = job_of(1, text);
    job->model = served;
    job->request.task = request;
    job->request.may_truncate = true;
    std::promise<void> done;
    job->finished = [&](Job&) { done.set_value(); };
    ASSERT_TRUE(scheduler.submit(job));
    done.get_future().get();
    ASSERT_FALSE(job->outputs[0].error) << job->outputs[0].error->what();
    const TextVectors expected = served->model.vectors(text, request);
    EXPECT_EQ(std::get<TextVectors>(job->outputs[0].output).dense, expected.dense);
    EXPECT_EQ(std::get<TextVectors>(job->outputs[0].output).sparse.weights, expected.sparse.weights);
    EXPECT_EQ(std::get<TextVectors>(job->outputs[0].output).tokens.values, expected.tokens.values);
  }
}

}  // namespace
}  // namespace bert::test
