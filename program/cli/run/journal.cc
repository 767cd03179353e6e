#include "program/cli/run/journal.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "program/cli/output/console.h"
#include "program/cli/output/output.h"
#include "program/cli/run/run_record.h"
#include "program/common/system_files.h"

namespace bert::cli {
namespace {

using Json = nlohmann::json;

Json entry_to_json(const JournalEntry& entry) {
  return {{"lines", entry.lines},
          {"input_end", entry.input_end},
          {"input_digest", entry.input_digest},
          {"output_bytes", entry.output_bytes},
          {"counts", counts_to_json(entry.counts)},
          {"seconds", entry.seconds},
          {"digest", entry.digest}};
}

JournalEntry entry_from_json(const Json& line) {
  return {line.at("lines"),
          line.at("input_end"),
          line.at("input_digest"),
          line.at("output_bytes"),
          counts_from_json(line.at("counts")),
          line.at("seconds"),
          line.at("digest")};
}

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw OutputError("cannot " + what + " " + in_quotes(path) + ": " + std::strerror(errno));
}

}  // namespace

Journal::Journal(const std::string& path, const Json& run, const JournalEntry& begin,
                 const std::function<void(const JournalEntry&, const JournalEntry&)>& check)
    : path_(path), file_(common::open_file(path, common::OpenMode::kOpenOrCreate)), last_(begin) {
  if (file_ < 0) fail("open", path_);
  try {
    if (!common::lock_file(file_, common::Lock::kAtOnce)) {
      throw OutputError("cannot use " + in_quotes(path_) + ": another run is using it");
    }
    // A line without its end was being written when the run was killed.
    off_t complete = 0;
    std::ifstream lines(path_, std::ios::binary);
    for (std::string line; std::getline(lines, line) && !lines.eof(); complete = lines.tellg()) {
      const Json value = Json::parse(line);
      if (is_new_) {
        const std::string other = difference(value, run);
        if (!other.empty()) {
          throw Error(ErrorCode::kInvalidArgument, in_quotes(path_) + " is of another run: " + shortened(other) +
                                                       "; with --resume, repeat its " +
                                                       "command, or remove it and the .unfinished file to begin again");
        }
        is_new_ = false;
      } else {
        JournalEntry entry = entry_from_json(value);
        check(last_, entry);
        last_ = std::move(entry);
      }
    }
    if (::ftruncate(file_, complete) != 0 || ::lseek(file_, complete, SEEK_SET) < 0) fail("write", path_);
    if (is_new_) append(run);
    sync_folder(path_);
  } catch (const Json::exception&) {
    ::close(file_);
    throw Error(ErrorCode::kInvalidFile, in_quotes(path_) + " is not the journal of a run");
  } catch (...) {
    ::close(file_);
    throw;
  }
}

Journal::~Journal() { ::close(file_); }

void Journal::add(const JournalEntry& entry) {
  append(entry_to_json(entry));
  last_ = entry;
}

void Journal::append(const Json& value) {
  const std::string line = value.dump() + "\n";
  if (!common::write_all(file_, line) || !common::sync_file(file_)) fail("write", path_);
}

void Journal::remove() {
  if (::unlink(path_.c_str()) != 0) fail("remove", path_);
}

void sync_folder(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::absolute(path).parent_path();
  if (!common::sync_folder(parent.string())) fail("write", parent.string());
}

}  // namespace bert::cli
