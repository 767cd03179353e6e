#include "program/cli/command_line/other_names.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace bert::cli {
namespace {

struct OtherName {
  std::string_view word, instead;
};

constexpr std::string_view kModels = "--model DIR loads a model, `bert-infer inspect --model DIR` describes it";
constexpr std::string_view kNotText = "an encoder writes no text";

constexpr OtherName kOtherNames[] = {
    {"ask", "use answer"},
    {"chat", kNotText},
    {"clusters", "use cluster"},
    {"convert", "tools/convert_weights.py converts weights"},
    {"cosine", "use similarity"},
    {"deduplicate", "use dedup"},
    {"duplicates", "use dedup"},
    {"download", "use fetch"},
    {"embedding", "use embed"},
    {"embeddings", "use embed"},
    {"finetune", "fit trains a classifier on frozen features"},
    {"generate", kNotText},
    {"index", "use search --input FILE --index FILE"},
    {"info", kModels},
    {"install", "fetch NAME fetches a model"},
    {"list", kModels},
    {"mask", "use fill-mask"},
    {"models", kModels},
    {"nearest", "use neighbors for words, search for lines"},
    {"ner", "use tag"},
    {"nli", "use classify, or zero-shot"},
    {"nsp", "use next-sentence"},
    {"predict", "use classify, fill-mask or rerank"},
    {"pull", "use fetch"},
    {"qa", "use answer"},
    {"query", "use search"},
    {"sentiment", "use classify, with a model that has these labels"},
    {"serve", "this program has no server, which is for Linux alone"},
    {"server", "use serve"},
    {"summarize", kNotText},
    {"tokens", "use tokenize"},
    {"train", "fit trains a classifier on frozen features"},
    {"translate", kNotText},
    {"vectors", "use embed"},
};

constexpr OtherName kOptionNames[] = {{"-m", "--model"},        {"-i", "--input"},  {"--corpus", "--input"},
                                      {"--language", "--task"}, {"-o", "--output"}, {"-q", "--quiet"},
                                      {"--top", "--top-k"}};

// Optimal string alignment, row by row of the table of prefixes.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = std::exchange(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string full_name(std::string_view option) {
  const auto found = std::ranges::find(kOptionNames, option, &OtherName::word);
  return std::string(found == std::end(kOptionNames) ? option : found->instead);
}

std::string instead_of(std::string_view word) {
  const auto found = std::ranges::find(kOtherNames, word, &OtherName::word);
  return found == std::end(kOtherNames) ? "" : std::string(found->instead);
}

std::string instead_of_option(std::string_view command, std::string_view option) {
  if (command == "search" && option == "--vectors") return "use --scan";
  if (command == "serve" && option == "--weights") return "use --packing";
  return "";
}

std::optional<std::string> suggestion(std::string_view word, std::span<const std::string> candidates) {
  const size_t most = word.size() >= 6 ? 2 : word.size() >= 3 ? 1 : 0;
  std::optional<std::string> nearest;
  size_t fewest = most + 1;
  for (const std::string& candidate : candidates) {
    if (word.size() > candidate.size() + most) continue;  // avoids work for words of any length
    const size_t distance = edits(word, candidate);
    if (distance == 0) return std::nullopt;
    if (distance >= fewest) continue;
    fewest = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace bert::cli
