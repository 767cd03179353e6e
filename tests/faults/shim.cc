// A library for LD_PRELOAD that makes calls fail as BERT_FAULT says (parse_fault). It starts before the program's
// initialisation. At the end it writes the number of calls to the file that BERT_FAULT_COUNT names. A test can choose
// the failing calls while the program runs, by mapping the file that BERT_FAULT_NUMBERS names (FaultNumbers).
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/faults/faults.h"

namespace bert::test {
namespace {

void share_numbers(const char* name) {
  const int file = ::open(name, O_RDWR);
  void* shared = ::mmap(nullptr, sizeof(FaultNumbers), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (file < 0 || shared == MAP_FAILED) {
    std::fprintf(stderr, "BERT_FAULT_NUMBERS: cannot map '%s'\n", name);
    _exit(99);
  }
  ::close(file);
  use_fault_numbers(*static_cast<FaultNumbers*>(shared));
}

__attribute__((constructor)) void start() {
  const char* text = std::getenv("BERT_FAULT");
  if (text == nullptr) return;
  const std::optional<Fault> fault = parse_fault(text);
  if (!fault) {
    std::fprintf(stderr, "BERT_FAULT is '%s', expected CALL:N:ERROR\n", text);
    _exit(99);
  }
  if (const char* name = std::getenv("BERT_FAULT_NUMBERS"); name != nullptr) share_numbers(name);
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
