#include "program/server/process_signals.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace bert::test {
namespace {

using server::ProcessSignals;

TEST(ProcessSignals, TellsOfReloadsThenOfTheDrain) {
  ProcessSignals signals([] {});
  signals.may_drain();
  ::kill(::getpid(), SIGHUP);
  EXPECT_EQ(signals.wait(), ProcessSignals::Event::kReload);
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(signals.wait(), ProcessSignals::Event::kDrain);
  EXPECT_EQ(signals.wait(), ProcessSignals::Event::kDrain);
}

TEST(ProcessSignalsDeathTest, TheSecondEndsTheProcessWhateverItsThreadsDo) {
  const auto busy = [] {
    ProcessSignals signals([] { std::fputs("before the end\n", stderr); });
    signals.may_drain();
    ::kill(::getpid(), SIGINT);
    signals.wait();
    ::kill(::getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::minutes(1));
  };
  EXPECT_EXIT(busy(), ::testing::ExitedWithCode(1), "before the end");
}

TEST(ProcessSignalsDeathTest, TheFirstEndsAProcessThatHasNothingToAnswer) {
  const auto loading = [] {
    ProcessSignals signals([] { std::fputs("before the end\n", stderr); });
    ::kill(::getpid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::minutes(1));
  };
  EXPECT_EXIT(loading(), ::testing::ExitedWithCode(0), "before the end");
}

}  // namespace
}  // namespace bert::test
