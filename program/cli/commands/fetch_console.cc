#include "program/cli/commands/fetch_console.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>

#include "program/cli/common.h"

namespace bert::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{100};
constexpr size_t kBarColumns = 24;

std::string bytes_text(uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Returns "  42% [##########..............] model.safetensors, 38.2 MB of 90.9 MB".
std::string progress_line(const fetch::FetchProgress& progress) {
  const double all = static_cast<double>(std::max<uint64_t>(1, progress.model_size));
  const double part = std::min(1.0, static_cast<double>(progress.model_bytes) / all);
  const auto full = static_cast<size_t>(part * kBarColumns);
  std::string percent = fixed(100 * part, 0);
  percent.insert(0, 4 - std::min<size_t>(4, percent.size()), ' ');
  return percent + "% [" + std::string(full, '#') + std::string(kBarColumns - full, '.') + "] " +
         one_line(progress.file) + ", " + bytes_text(progress.model_bytes) + " of " + bytes_text(progress.model_size);
}

}  // namespace

fetch::FetchedModel fetch_to_console(const std::string& name, const fetch::FetchOptions& options, Console& console) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point shown = Clock::now() - kInterval;
  fetch::FetchReports reports;
  reports.note = [&](const std::string& line) { console.note(line); };
  reports.fetched = [&](const std::string& file, uint64_t bytes) {
    if (!console.is_terminal()) console.note("fetched " + in_quotes(file) + ", " + bytes_text(bytes));
  };
  reports.progress = [&](const fetch::FetchProgress& progress) {
    if (Clock::now() - shown < kInterval) return;
    shown = Clock::now();
    console.show_status(progress_line(progress));
  };
  const fetch::FetchedModel model = fetch::fetch_model(name, options, environment, reports);
  console.clear_status();
  console.note(in_quotes(model.name) + ", commit " + model.commit + ": " + std::to_string(model.fetched_files) +
               " of " + std::to_string(model.files) + " files fetched, " + bytes_text(model.fetched_bytes) + " of " +
               bytes_text(model.bytes) +
               (options.verify ? ", " + std::to_string(model.verified_files) + " verified" : ""));
  return model;
}

}  // namespace bert::cli
