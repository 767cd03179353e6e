// Entry point of bert-infer: finds the command, runs it, and converts any failure to one line and an exit status.
#include <new>

#include "program/cli/command_line/command_line.h"
#include "program/cli/common.h"
#include "program/cli/output/output.h"
#include "program/cli/run/signals.h"
#include "program/common/terminal.h"

namespace bert::cli {
namespace {

constexpr size_t kMostUsageBytes = 4096;  // of a message that quotes a whole argument

// Runs first, because objects of other files allocate when they are constructed.
__attribute__((constructor(101))) void before_other_constructors() { handle_lack_of_memory(); }

int run(int count, const char* const* arguments, Console& console, const char* problem) {
  if (problem != nullptr) throw Error(ErrorCode::kUnsupported, problem);
  CommandLine line = parse_command_line(count, arguments);
  if (line.command != nullptr && line.command->options.quiet) console.be_quiet();
  for (const std::string& note : line.notes) console.note(note);
  if (line.command != nullptr) return line.command->run(console);
  Output output("", Output::Access::kStream);
  output.write(line.text);
  output.commit();
  return kDone;
}

int guarded_run(int count, const char* const* arguments, const char* problem) {
  Console console;
  try {
    return run(count, arguments, console, problem);
  } catch (const UsageError& error) {
    const std::string line = error.what();
    console.error(line.size() <= kMostUsageBytes ? line : shortened(line));
    return kWrongUsage;
  } catch (const ClosedPipe&) {
    console.clear_status();
    end_by_closed_pipe();
  } catch (const std::bad_alloc&) {
    console.clear_status();
    write_stderr("bert-infer: error: out of memory\n");
  } catch (const std::exception& error) {
    console.error(error.what());
  }
  return kFailed;
}

}  // namespace
}  // namespace bert::cli

int main(int count, char** arguments) {
  const char* const problem = bert::common::prepare_standard_streams();
  bert::cli::handle_signals();
  return bert::cli::guarded_run(count, arguments, problem);
}
