// Tests the pool of threads. The thread sanitizer runs this test too, to find races.
#include "engine/base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <numeric>

#include "tests/support/expect_error.h"
#include "tests/support/sanitizers.h"
#include "tests/support/share.h"

namespace bert {
namespace {

// Keeps the CPU busy for longer than waiting workers spin, so that they fall asleep.
void outlast_the_spinning() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(3);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// Runs a loop that counts each task. The counters are not atomic, so that a task run twice at once is a data race.
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

TEST(ThreadPool, RunsEachRowOnceInTasksOfAFew) {
  ThreadPool pool(3);
  for (const size_t rows : {0, 1, 15, 16, 17, 1000}) {
    for (const size_t rows_per_task : {1, 7, 16}) {
      std::vector<int> runs(rows);
      pool.run_rows(
          rows,
          [&](size_t first, size_t count) {
            EXPECT_LE(count, rows_per_task);
            for (size_t row = first; row < first + count; ++row) ++runs.at(row);
          },
          rows_per_task);
      EXPECT_EQ(runs, std::vector<int>(rows, 1)) << rows << " rows, " << rows_per_task << " a task";
    }
  }
}

// A loop's counters have 24 bits. A batch of many short texts can have more heads than that.
TEST(ThreadPool, RunsMoreTasksThanItsCountersHold) {
  ThreadPool pool(2);
  const test::Share share(3);
  size_t number = 0;
  for (const size_t tasks : {(size_t{1} << 24) - 1, size_t{1} << 24, (size_t{1} << 24) + 3}) {
    if (!share.has(number++)) continue;
    std::vector<unsigned char> runs(tasks);
    pool.run(tasks, [&](size_t task, size_t) { ++runs[task]; });
    ASSERT_TRUE(std::all_of(runs.begin(), runs.end(), [](unsigned char count) { return count == 1; })) << tasks;
  }
}

TEST(ThreadPool, GivesEachThreadASlotOfItsOwn) {
  ThreadPool pool(4);
  for (int loop = 0; loop < 200; ++loop) {
    std::vector<size_t> done(pool.size());  // not atomic: two threads in one slot would race
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

// A counted caller computes instead of a worker, so a loop has one slot less for each.
TEST(ThreadPool, LeavesTheWorkersPlacesToTheCallers) {
  const auto slots_of = [](size_t callers) {
    ThreadPool pool(3);
    pool.set_callers(callers);
    std::vector<std::atomic<bool>> used(pool.size());
    for (int loop = 0; loop < 200; ++loop) {
      pool.run(64, [&](size_t, size_t slot) {
        used.at(slot) = true;
        std::this_thread::yield();
      });
    }
    return std::vector<bool>(used.begin(), used.end());
  };
  EXPECT_TRUE(slots_of(1)[0]);
  EXPECT_FALSE(slots_of(2)[2]);
  EXPECT_EQ(slots_of(3), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(slots_of(7), (std::vector<bool>{true, false, false}));
}

TEST(ThreadPool, ShowsTheCallerWhatTheTasksWrote) {
  ThreadPool pool(2);
  std::vector<std::unique_ptr<size_t>> made(100);
  for (size_t loop = 0; loop < 100; ++loop) {
    pool.run(made.size(), [&](size_t task, size_t) { made[task] = std::make_unique<size_t>(task + loop); });
    for (size_t task = 0; task < made.size(); ++task) ASSERT_EQ(*made[task], task + loop);
  }
}

TEST(ThreadPool, GivesTheCallerATasksExceptionAndGoesOn) {
  ThreadPool pool(3);
  for (const size_t failing : {size_t{0}, size_t{57}, size_t{99}}) {
    std::atomic<size_t> done{0};
    const auto body = [&](size_t task, size_t) {
      if (task == failing) throw std::out_of_range(std::to_string(task));
      ++done;
    };
    try {
      pool.run(100, body);
      FAIL() << "task " << failing << " is not noticed";
    } catch (const std::out_of_range& error) {
      EXPECT_EQ(error.what(), std::to_string(failing));
    }
    EXPECT_EQ(done, 99u);
    expect_each_once(pool, 100);
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

TEST(ThreadPool, RefusesMoreThreadsThanItsLimit) {
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [] { ThreadPool pool(1'000'000); }),
            "1000000 threads requested, expected at most 1024");
}

// While an object exists, the process can allocate at most `bytes` more.
class WithRoomFor {
 public:
  explicit WithRoomFor(size_t bytes) {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &old_);
    const rlimit little = {pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + bytes, old_.rlim_max};
    setrlimit(RLIMIT_AS, &little);
  }
  WithRoomFor(const WithRoomFor&) = delete;
  WithRoomFor& operator=(const WithRoomFor&) = delete;
  ~WithRoomFor() { setrlimit(RLIMIT_AS, &old_); }

 private:
  rlimit old_ = {};
};

TEST(ThreadPool, EndsTheThreadsItMadeWhereTheSystemMakesNoMore) {
  if (BERT_SANITIZED) GTEST_SKIP() << "SKIPPED, a sanitizer needs the memory that the threads are denied";
  std::string error;
  {
    const WithRoomFor some_stacks(size_t{256} << 20);
    error = test::error_of(ErrorCode::kIo, [] { ThreadPool pool(1000); });
  }
  EXPECT_EQ(error.find("created "), 0u) << error;
  EXPECT_NE(error.find(" of 1000 threads: "), std::string::npos) << error;
  EXPECT_NE(error.find(": Resource temporarily unavailable"), std::string::npos) << error;
}

// A signal stops a worker for so many loops that the next loop has the number which the worker saw last.
std::atomic<bool> is_held{false}, may_go{false};
void hold(int) {
  is_held = true;
  while (!may_go) {
  }
  outlast_the_spinning();  // the pool's destructor begins
}

TEST(ThreadPool, EndsAWorkerThatMissedAllLoopNumbers) {
  if (BERT_SANITIZED) GTEST_SKIP() << "SKIPPED, a sanitizer holds signals back";
  signal(SIGUSR1, hold);
  {
    ThreadPool pool(2);
    pthread_t worker{};
    std::atomic<int> arrived{0};
    pool.run(2, [&](size_t, size_t slot) {
      if (slot == 1) worker = pthread_self();
      ++arrived;
      while (arrived != 2) {
      }
    });
    outlast_the_spinning();  // the worker has seen the loop's end
    pthread_kill(worker, SIGUSR1);
    while (!is_held) {
    }
    for (size_t loop = 1; loop < 65'536; ++loop) pool.run(2, [](size_t, size_t) {});
    may_go = true;
  }
  signal(SIGUSR1, SIG_DFL);
}

}  // namespace
}  // namespace bert
