// The signals that end the program, as each system has them. posix/ and windows/ implement it.
#pragma once

namespace bert::cli {

// Windows: kInterrupt is Ctrl-C, kTerminate Ctrl-Break, kHangUp a closed console, kUnreadable a page of a mapped file
// that its disk does not give.
enum class Signal : int { kNone, kInterrupt, kTerminate, kHangUp, kUnreadable };

// Calls `handler` at each of these signals from now on: on POSIX in a signal handler, on Windows on a thread of its
// own. Writes to a closed pipe then fail instead of ending the program. Call once, before any thread starts.
void call_at_signals(void (*handler)(Signal signal));

// Ends the program with the status that a shell expects after this signal, 128 + its number on POSIX. In a signal
// handler this happens when the handler returns.
void end_by(Signal signal);

// Ends the program as any program of a pipeline ends whose reader is gone.
void end_by_closed_pipe();

}  // namespace bert::cli
