// Run under the thread sanitizer too, which sees what these assertions cannot.
#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

namespace bert {
namespace {

// Keeps the CPU busy for longer than waiting workers spin, so that they fall asleep.
void outlast_the_spinning() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Runs a loop that counts each task; plain memory, so a task run twice at once is a data race too.
void expect_each_once(ThreadPool& pool, size_t tasks) {
  std::vector<int> runs(tasks);
  pool.run(tasks, [&](size_t task, size_t) { ++runs.at(task); });
  for (size_t task = 0; task < tasks; ++task) ASSERT_EQ(runs[task], 1) << "task " << task << " of " << tasks;
}

TEST(ThreadPool, CountsTheCaller) {
  EXPECT_EQ(ThreadPool(1).size(), 1u);
  EXPECT_EQ(ThreadPool(3).size(), 3u);
}

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const size_t threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (const size_t tasks : {0, 1, 2, 3, 7, 64, 1000, 100'003}) expect_each_once(pool, tasks);
  }
}

// A loop's counters have 24 bits; a batch of very many short texts on a tiny model has more heads than that.
TEST(ThreadPool, RunsMoreTasksThanItsCountersHold) {
  ThreadPool pool(2);
  for (const size_t tasks : {(size_t{1} << 24) - 1, size_t{1} << 24, (size_t{1} << 24) + 3}) {
    std::vector<unsigned char> runs(tasks);
    pool.run(tasks, [&](size_t task, size_t) { ++runs[task]; });
    ASSERT_TRUE(std::all_of(runs.begin(), runs.end(), [](unsigned char count) { return count == 1; })) << tasks;
  }
}

TEST(ThreadPool, GivesEachThreadASlotOfItsOwn) {
  ThreadPool pool(4);
  for (int loop = 0; loop < 200; ++loop) {
    std::vector<size_t> done(pool.size());  // plain: two threads in one slot would lose counts, and race
    pool.run(500, [&](size_t, size_t slot) { ++done.at(slot); });
    ASSERT_EQ(std::accumulate(done.begin(), done.end(), size_t{0}), 500u);
  }
}

TEST(ThreadPool, RunsManyShortLoops) {
  ThreadPool pool(3);
  std::vector<size_t> sums(8);
  constexpr size_t kLoops = 70'000;  // more than the loop number's 16 bits
  for (size_t loop = 0; loop < kLoops; ++loop) {
    pool.run(sums.size(), [&](size_t task, size_t) { sums[task] += loop; });
  }
  for (const size_t sum : sums) EXPECT_EQ(sum, kLoops * (kLoops - 1) / 2);
}

TEST(ThreadPool, WakesWorkersThatSleep) {
  ThreadPool pool(3);
  for (int loop = 0; loop < 20; ++loop) {
    outlast_the_spinning();
    expect_each_once(pool, 50);
  }
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&pool] {
      for (size_t loop = 0; loop < 2000; ++loop) expect_each_once(pool, loop % 40);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, ShowsTheCallerWhatTheTasksWrote) {
  ThreadPool pool(2);
  std::vector<std::unique_ptr<size_t>> made(100);
  for (size_t loop = 0; loop < 100; ++loop) {
    pool.run(made.size(), [&](size_t task, size_t) { made[task] = std::make_unique<size_t>(task + loop); });
    for (size_t task = 0; task < made.size(); ++task) ASSERT_EQ(*made[task], task + loop);
  }
}

TEST(ThreadPool, EndsInEveryState) {
  for (int i = 0; i < 50; ++i) {
    const ThreadPool unused(3);
  }
  for (int i = 0; i < 50; ++i) {
    ThreadPool pool(3);
    expect_each_once(pool, 10);  // the workers may be spinning, or late for the loop
  }
  ThreadPool pool(3);
  expect_each_once(pool, 10);
  outlast_the_spinning();
}

}  // namespace
}  // namespace bert
