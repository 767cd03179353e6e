// The program `bench`: benchmarks, and what the scripts beside it need.
#include <cstdio>
#include <exception>
#include <string_view>

#include "tools/bench/commands.h"

namespace bert::bench {
namespace {

struct Command {
  std::string_view name;
  int (*run)(int argc, char** argv);
  const char* help;
};

constexpr Command kCommands[] = {
    {"gemm", run_gemm, "matrix products of BERT-base's shapes"},
    {"ceilings", run_ceilings, "the machine's multiply-adds and memory on a number of threads"},
    {"dedup", run_dedup, "near-duplicates among random vectors, with planted ones"},
    {"encode", run_encode, "the whole encoder on a random model of BERT-base's shape"},
    {"tokenize", run_tokenize, "texts to ids"},
    {"search", run_search, "one query with many vectors, and MaxSim"},
    {"sparse", run_sparse, "sparse vectors from the last hidden states"},
    {"process", run_process, "bert-infer as a user starts it: time and memory"},
    {"load", run_load, "a load for an HTTP server"},
    {"text", run_text, "what the library takes for the texts of a load"},
    {"worker", run_worker, "encodes on request, for peers.py"},
    {"make-model", run_make_model, "writes the random model of BERT-base's shape"},
};

int run(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  for (const Command& command : kCommands) {
    if (name != command.name) continue;
    argv[1] = argv[0];
    try {
      return command.run(argc - 1, argv + 1);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench %s: %s\n", command.name.data(), error.what());
      return 1;
    }
  }
  std::fputs("usage: bench COMMAND ARGUMENT…   (COMMAND --help for those of a benchmark)\n", stderr);
  for (const Command& command : kCommands) std::fprintf(stderr, "  %-11s %s\n", command.name.data(), command.help);
  return name == "--help" || name == "-h" ? 0 : 2;
}

}  // namespace

int usage(const char* command, const char* arguments) {
  std::fprintf(stderr, "usage: bench %s %s\n", command, arguments);
  return 2;
}

}  // namespace bert::bench

int main(int argc, char** argv) { return bert::bench::run(argc, argv); }
