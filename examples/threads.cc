// One model for several threads, as in a server: each thread encodes its own requests, and all share the model's
// weights and its threads.
//   threads MODEL_DIRECTORY TEXT...      ("" is the built-in model)
// Prints each text's cosine to the first, in the order of the texts. A text's bits do not depend on the thread or on
// other calls.
#include <atomic>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "bert/model.h"

namespace {

constexpr size_t kThreads = 4;

struct Result {
  std::vector<float> vector;
  std::exception_ptr error;
};

// Encodes texts until all are taken; each thread takes the next one that is left. A thread must not end by an
// exception, so an exception is kept in the text's result, and the caller reports it.
void serve(const bert::Model& model, const std::vector<std::string>& texts, std::atomic<size_t>& next,
           std::vector<Result>& results) {
  for (size_t i = next++; i < texts.size(); i = next++) {
    try {
      results[i].vector = model.embed(texts[i]);
    } catch (...) {
      results[i].error = std::current_exception();
    }
  }
}

void run(const bert::Model& model, const std::vector<std::string>& texts) {
  std::atomic<size_t> next = 0;
  std::vector<Result> results(texts.size());
  std::vector<std::thread> threads;
  for (size_t n = 0; n < kThreads; ++n) {
    threads.emplace_back([&] { serve(model, texts, next, results); });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < texts.size(); ++i) {
    if (results[i].error) std::rethrow_exception(results[i].error);
    std::printf("%.3f  %s\n", bert::cosine_similarity(results.front().vector, results[i].vector), texts[i].c_str());
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: threads MODEL_DIRECTORY TEXT...\n");
    return 2;
  }
  try {
    const std::string directory = arguments[1];
    const std::vector<std::string> texts(arguments + 2, arguments + count);
    run(directory.empty() ? bert::Model::builtin() : bert::Model::load(directory), texts);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "threads: %s\n", error.what());
    return 1;
  }
}
