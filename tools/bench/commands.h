// The commands of the program `bench`. argv[0] is the program; the command's own arguments follow. Each command returns
// the exit status, and throws std::exception if it fails.
#pragma once

namespace bert::bench {

int run_ceilings(int argc, char** argv);
int run_dedup(int argc, char** argv);
int run_encode(int argc, char** argv);
int run_gemm(int argc, char** argv);
int run_load(int argc, char** argv);
int run_make_model(int argc, char** argv);
int run_process(int argc, char** argv);
int run_search(int argc, char** argv);
int run_sparse(int argc, char** argv);
int run_text(int argc, char** argv);
int run_tokenize(int argc, char** argv);
int run_worker(int argc, char** argv);

// Prints "usage: bench COMMAND ARGUMENTS" and returns the status of wrong usage.
int usage(const char* command, const char* arguments);

}  // namespace bert::bench
