// Loaded into a program with LD_PRELOAD: makes the calls fail that BERT_FAULT describes (parse_fault), from before the
// program's own initialisation on. At the end, the number of calls goes to the file that BERT_FAULT_COUNT names.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/faults/faults.h"

namespace bert::test {
namespace {

__attribute__((constructor)) void start() {
  const char* text = std::getenv("BERT_FAULT");
  if (text == nullptr) return;
  const std::optional<Fault> fault = parse_fault(text);
  if (!fault) {
    std::fprintf(stderr, "BERT_FAULT is '%s', expected CALL:N:ERROR\n", text);
    _exit(99);
  }
  start_fault(*fault);
}

__attribute__((destructor)) void report() {
  const size_t calls = stop_faults();
  const char* name = std::getenv("BERT_FAULT_COUNT");
  if (name == nullptr) return;
  const int file = ::open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file < 0) return;
  dprintf(file, "%zu\n", calls);
  ::close(file);
}

}  // namespace
}  // namespace bert::test
