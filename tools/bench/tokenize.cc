// Measures tokenising line by line, in bytes of text per second:
//   tokenize/<text>/<threads>   to full encodings (ids, offsets, word ids, …)
//   ids/<text>/<threads>        to ids
//   cold/<text>/1               to ids, on a thread that has tokenised no word before
//   static/<text>/1             to the vectors of a static model; the counter of_tokenizer is this rate divided by the
//                               rate of tokenising alone, both measured in turn
// The text `english` is --text FILE, else text/wikitext2-test.txt in the folder BERT_TEST_DATA, else the generated
// text. The text `generated` has English words in random order. The vocabulary is that of the directory --model, which
// needs no weights except for static, else that of the built-in model.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bert/model.h"
#include "engine/base/cpu.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"

namespace bert::bench {
namespace {

constexpr size_t kGeneratedBytes = 1u << 20;

std::string generated_text() {
  static constexpr const char* kWords[] = {"the",         "of",    "and",  "in",      "to",        "was",
                                           "a",           "is",    "for",  "on",      "as",        "with",
                                           "city",        "music", "year", "United",  "players",   "government",
                                           "history",     "1987",  "film", "army",    "team",      "river",
                                           "she",         "their", "from", "station", "described", "unconstitutional",
                                           "Bartholomew", "naïve", "(",    ")",       ",",         "."};
  std::string text;
  uint32_t state = 1;
  while (text.size() < kGeneratedBytes) {
    for (int word = 0; word < 90; ++word) {
      state = state * 1664525u + 1013904223u;  // Numerical Recipes' generator
      text += kWords[(state >> 16) % std::size(kWords)];
      text += ' ';
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

size_t bytes_of(const std::vector<std::string>& lines) {
  size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size();
  return bytes;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(benchmark::State& state, const Tokenizer& tokenizer, const std::vector<std::string>& lines, size_t threads,
         const TokenizeOptions& options) {
  const size_t bytes = bytes_of(lines);
  const auto part = [&](size_t thread) {
    size_t tokens = 0;
    for (size_t i = thread; i < lines.size(); i += threads) tokens += tokenizer.tokenize(lines[i], options).size();
    benchmark::DoNotOptimize(tokens);
    return tokens;
  };
  double seconds = 0;
  for (auto _ : state) {
    const double once = time_of(threads, [&] {
      std::vector<std::thread> others;
      for (size_t thread = 1; thread < threads; ++thread) others.emplace_back(part, thread);
      part(0);
      for (std::thread& other : others) other.join();
    });
    state.SetIterationTime(once);
    seconds += once;
  }
  seconds /= static_cast<double>(state.iterations());
  state.counters["MB/s"] = 1e-6 * static_cast<double>(bytes) / seconds;
  state.counters["Mtokens/s"] = 0;
  size_t tokens = 0;
  for (const std::string& line : lines) tokens += tokenizer.tokenize(line).size();
  state.counters["Mtokens/s"] = 1e-6 * static_cast<double>(tokens) / seconds;
}

void run_cold(benchmark::State& state, const Tokenizer& tokenizer, const std::vector<std::string>& lines) {
  const size_t bytes = bytes_of(lines);
  double seconds = 0;
  for (auto _ : state) {
    double once = 0;
    std::thread([&] {
      once = time_of(1, [&] {
        for (const std::string& line : lines) {
          benchmark::DoNotOptimize(tokenizer.tokenize(line, {.only_ids = true}).size());
        }
      });
    }).join();
    state.SetIterationTime(once);
    seconds += once;
  }
  state.counters["MB/s"] = 1e-6 * static_cast<double>(bytes * state.iterations()) / seconds;
}

void run_static(benchmark::State& state, const Model& model, const std::vector<std::string>& lines) {
  const std::vector<std::string_view> texts(lines.begin(), lines.end());
  double seconds = 0, of_tokenizer = 0;
  for (auto _ : state) {
    const double once = time_of(1, [&] { benchmark::DoNotOptimize(model.embed(texts)); });
    of_tokenizer += time_of(1, [&] {
      for (const std::string_view text : texts) benchmark::DoNotOptimize(model.tokenizer().tokenize(text));
    });
    state.SetIterationTime(once);
    seconds += once;
  }
  state.counters["of_tokenizer"] = of_tokenizer / seconds;
  state.counters["texts/s"] = static_cast<double>(state.iterations() * texts.size()) / seconds;
}

void register_cold(const std::string& title, const Tokenizer& tokenizer, const std::string& text) {
  benchmark::RegisterBenchmark(
      ("cold/" + title + "/1").c_str(),
      [&tokenizer, lines = lines_of(text)](benchmark::State& state) { run_cold(state, tokenizer, lines); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void register_static(const std::string& title, const Model& model, const std::string& text) {
  benchmark::RegisterBenchmark(
      ("static/" + title + "/1").c_str(),
      [&model, lines = lines_of(text)](benchmark::State& state) { run_static(state, model, lines); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void register_text(const std::string& title, const Tokenizer& tokenizer, const std::string& text) {
  for (const bool only_ids : {false, true}) {
    for (size_t threads = 1; threads <= std::min<size_t>(2, available_cpus()); ++threads) {
      const std::string name = (only_ids ? "ids/" : "tokenize/") + title + "/" + std::to_string(threads);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [&tokenizer, lines = lines_of(text), threads, only_ids](benchmark::State& state) {
                                     run(state, tokenizer, lines, threads, {.only_ids = only_ids});
                                   })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int run_tokenize(int argc, char** argv) {
  Options options(argc, argv, {{"text", "file of lines to tokenize"}, {"model", "directory whose vocabulary to use"}});
  const std::string directory = options.get("model", "");
  const LoadedTokenizer loaded = directory.empty() ? builtin_tokenizer() : load_tokenizer(directory);
  std::string path = options.get("text", "");
  const char* data = std::getenv("BERT_TEST_DATA");
  if (path.empty() && data != nullptr) path = (std::filesystem::path(data) / "text" / "wikitext2-test.txt").string();
  const std::string text = path.empty() ? "" : read_text(path);
  if (!path.empty()) {
    register_text("english", loaded.tokenizer, text);
    register_cold("english", loaded.tokenizer, text);
  }
  register_text("generated", loaded.tokenizer, generated_text());
  register_cold("generated", loaded.tokenizer, generated_text());
  std::optional<Model> model;
  if (std::filesystem::exists(std::filesystem::path(directory) / "model.safetensors")) {
    model = Model::load(directory, {.threads = 1});
  }
  if (model && model->config().model_type == "static") {
    if (!path.empty()) register_static("english", *model, text);
    register_static("generated", *model, generated_text());
  }
  benchmark::AddCustomContext("vocabulary", directory.empty() ? "built-in" : directory);
  benchmark::AddCustomContext("text", path.empty() ? "generated only" : path);
  return run_benchmarks(options);
}

}  // namespace bert::bench
