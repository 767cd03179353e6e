#include "program/cli/run/process_signals.h"

#include <cstdlib>

#include "engine/base/windows/system.h"

namespace bert::cli {
namespace {

void (*chosen_handler)(Signal signal) = nullptr;

// Runs on a thread of its own. The process ends when it returns after the console was closed, so that it then waits for
// the run to end at a line, for the seconds that Windows gives it.
BOOL WINAPI handle(DWORD event) {
  const bool is_key = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  chosen_handler(event == CTRL_C_EVENT ? Signal::kInterrupt : is_key ? Signal::kTerminate : Signal::kHangUp);
  if (!is_key) Sleep(INFINITE);
  return TRUE;
}

LONG WINAPI handle_exception(EXCEPTION_POINTERS* exception) {
  if (exception->ExceptionRecord->ExceptionCode == EXCEPTION_IN_PAGE_ERROR) chosen_handler(Signal::kUnreadable);
  return EXCEPTION_CONTINUE_SEARCH;
}

}  // namespace

void call_at_signals(void (*handler)(Signal signal)) {
  chosen_handler = handler;
  SetConsoleCtrlHandler(handle, TRUE);
  SetUnhandledExceptionFilter(handle_exception);
}

// The numbers that POSIX's shells show: 130, 143 and 129.
void end_by(Signal signal) {
  std::_Exit(128 + (signal == Signal::kInterrupt ? 2 : signal == Signal::kTerminate ? 15 : 1));
}

void end_by_closed_pipe() { std::_Exit(128 + 13); }

}  // namespace bert::cli
