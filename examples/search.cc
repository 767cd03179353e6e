// Ranks the lines of standard input by similarity to a query:
//   search MODEL_DIRECTORY QUERY < lines.txt      ("" is the built-in model)
// Lines are encoded on all threads; the vector of a line does not depend on the others.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"

namespace {

constexpr size_t kBatch = 1024;
constexpr size_t kBest = 10;

struct Ranked {
  double cosine;
  std::string line;
};

void search(const bert::Model& model, const std::string& query, std::istream& lines) {
  const std::vector<float> target = model.embed(query);
  std::vector<Ranked> ranked;
  for (std::vector<std::string> batch; lines;) {
    batch.clear();
    for (std::string line; batch.size() < kBatch && std::getline(lines, line);) {
      if (!line.empty()) batch.push_back(line);
    }
    const bert::EmbeddedTexts embedded = model.embed(batch);
    for (size_t i = 0; i < batch.size(); ++i) {
      if (embedded.reports[i].error) throw *embedded.reports[i].error;
      const std::span<const float> vector(embedded.vectors.data() + i * target.size(), target.size());
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
