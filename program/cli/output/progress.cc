#include "program/cli/output/progress.h"

#include <algorithm>
#include <string>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

constexpr std::chrono::milliseconds kFirstShown{500};
constexpr std::chrono::milliseconds kInterval{100};
constexpr size_t kBarColumns = 24;

// Returns "1:05" for 65 s, "1:01:40" for 3700 s.
std::string clock_text(double seconds) {
  const auto total = static_cast<size_t>(std::max(0.0, seconds) + 0.5);
  const auto two = [](size_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const size_t hours = total / 3600;
  const std::string minutes =
      hours > 0 ? std::to_string(hours) + ":" + two(total / 60 % 60) : std::to_string(total / 60);
  return minutes + ":" + two(total % 60);
}

}  // namespace

void Progress::show(const Amount& done, uint64_t bytes_total) {
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - start_ < kFirstShown || now - shown_ < kInterval) return;
  shown_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done.texts - before_.texts) / seconds;
  std::string line;
  if (bytes_total > 0) {
    const double all = static_cast<double>(before_.bytes + bytes_total);
    const double part = std::min(1.0, static_cast<double>(before_.bytes + done.bytes) / all);
    const auto full = static_cast<size_t>(part * kBarColumns);
    line = fixed(100 * part, 0) + "% [" + std::string(full, '#') + std::string(kBarColumns - full, '.') + "] ";
    line.insert(0, 4 - std::min<size_t>(4, line.find('[') - 1), ' ');
  }
  line += with_commas(done.texts) + " texts, ";
  if (done.tokens > 0) line += with_commas(done.tokens) + " tokens, ";
  line += (rate < 10 ? fixed(rate, 1) : with_commas(static_cast<size_t>(rate))) + "/s";
  if (bytes_total > 0 && done.bytes > 0) {
    const double left = seconds * (static_cast<double>(bytes_total) / static_cast<double>(done.bytes) - 1);
    line += ", " + clock_text(left) + " left";
  } else {
    line += ", " + clock_text(seconds);
  }
  console_.show_status(line);
}

}  // namespace bert::cli
