#include "program/cli/input/sts_file.h"

#include <charconv>
#include <cmath>

#include "program/cli/input/input.h"
#include "program/cli/input/line_reader.h"
#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

constexpr size_t kScore = 4, kFirst = 5, kSecond = 6;

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return columns;
}

}  // namespace

std::vector<RatedPair> read_sts(const std::string& name) {
  LineReader lines(name);
  std::vector<RatedPair> pairs;
  const auto refuse = [&](const std::string& what) {
    return InputError(in_quotes(name) + ", line " + std::to_string(pairs.size() + 1) + ": " + what);
  };
  for (std::string line; lines.next(line, TextSource::kForever) == TextSource::State::kItem;) {
    const std::vector<std::string> columns = columns_of(line);
    if (columns.size() <= kSecond) {
      throw refuse(std::to_string(columns.size()) + " tab-separated columns, expected 7 or more");
    }
    const std::string& text = columns[kScore];
    RatedPair pair{columns[kFirst], columns[kSecond], 0};
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), pair.score);
    if (error != std::errc() || rest != text.data() + text.size() || !std::isfinite(pair.score)) {
      throw refuse("found " + in_quotes(text) + " in the fifth column, expected a number");
    }
    pairs.push_back(std::move(pair));
  }
  if (pairs.empty()) throw InputError(in_quotes(name) + ": empty, expected pairs of sentences");
  return pairs;
}

}  // namespace bert::cli
