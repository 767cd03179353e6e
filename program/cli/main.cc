// Entry point of bert-infer: finds the command, runs it, and converts any failure to one line and an exit status.
#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <csignal>
#include <new>

#include "program/cli/command_line/command_line.h"
#include "program/cli/common.h"
#include "program/cli/output/output.h"
#include "program/cli/run/signals.h"

namespace bert::cli {
namespace {

constexpr size_t kMostUsageBytes = 4096;  // of a message that quotes a whole argument

// Runs first, because objects of other files allocate when they are constructed.
__attribute__((constructor(101))) void before_other_constructors() { handle_lack_of_memory(); }

// Opens closed standard streams. Otherwise the next opened file would get such a stream's number, and receive our data
// or messages. They are opened in the wrong direction, so that using them fails, as it should.
void hold_standard_streams() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(file, F_GETFD) >= 0) continue;
    if (::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

int run(int count, const char* const* arguments, Console& console) {
  CommandLine line = parse_command_line(count, arguments);
  if (line.command != nullptr && line.command->options.quiet) console.be_quiet();
  for (const std::string& note : line.notes) console.note(note);
  if (line.command != nullptr) return line.command->run(console);
  Output output("", Output::Access::kStream);
  output.write(line.text);
  output.commit();
  return kDone;
}

int guarded_run(int count, const char* const* arguments) {
  Console console;
  try {
    return run(count, arguments, console);
  } catch (const UsageError& error) {
    const std::string line = error.what();
    console.error(line.size() <= kMostUsageBytes ? line : shortened(line));
    return kWrongUsage;
  } catch (const ClosedPipe&) {
    console.clear_status();
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);  // as any program of a pipeline ends whose reader is gone
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
  bert::cli::hold_standard_streams();
  bert::cli::handle_signals();
  std::setlocale(LC_CTYPE, "C.UTF-8");  // for the widths of characters; numbers stay as in C
  return bert::cli::guarded_run(count, arguments);
}
