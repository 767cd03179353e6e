// Ranks the lines of standard input by similarity to a query:
//   search MODEL_DIRECTORY QUERY < lines.txt      ("" is the built-in model)
// Lines are encoded in batches; the cost and the vector of a line do not depend on the others.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"

namespace {

constexpr size_t kBatch = 32;
constexpr size_t kBest = 10;

struct Ranked {
  double cosine;
  std::string line;
};

void search(const bert::Model& model, const std::string& query, std::istream& lines) {
  const std::vector<float> target = model.embed(query);
  const std::string prompt = model.prompt();  // embed puts it before the query
  std::vector<Ranked> ranked;
  for (std::vector<std::string> batch; lines;) {
    batch.clear();
    for (std::string line; batch.size() < kBatch && std::getline(lines, line);) {
      if (!line.empty()) batch.push_back(line);
    }
    if (batch.empty()) break;
    std::vector<bert::Encoding> encodings;
    std::vector<bert::TokenSequence> sequences;
    for (const std::string& line : batch) {
      encodings.push_back(model.tokenizer().tokenize(prompt + line, {.max_length = model.max_length()}));
    }
    for (const bert::Encoding& encoding : encodings) sequences.push_back(model.sequence(encoding));
    const std::vector<float> vectors = model.embed(sequences);  // [batch, hidden]
    for (size_t i = 0; i < batch.size(); ++i) {
      const std::span<const float> vector(vectors.data() + i * target.size(), target.size());
      ranked.push_back({bert::cosine_similarity(target, vector), batch[i]});
    }
  }
  const size_t shown = std::min(kBest, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(shown), ranked.end(),
                    [](const Ranked& a, const Ranked& b) { return a.cosine > b.cosine; });
  for (size_t i = 0; i < shown; ++i) std::printf("%.3f  %s\n", ranked[i].cosine, ranked[i].line.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: search MODEL_DIRECTORY QUERY < lines.txt\n");
    return 2;
  }
  try {
    const std::string directory = arguments[1];
    search(directory.empty() ? bert::Model::builtin() : bert::Model::load(directory), arguments[2], std::cin);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "search: %s\n", error.what());
    return 1;
  }
}
