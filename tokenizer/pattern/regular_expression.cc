#include "tokenizer/pattern/regular_expression.h"

#include <algorithm>
#include <climits>
#include <memory>
#include <new>
#include <string>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/shared_library.h"
#include "engine/base/utf8.h"
#include "tokenizer/pattern/newer_characters.h"

#if defined(BERT_INFER_STATIC)
// Only the addresses of these symbols are used.
extern "C" const char onig_initialize[], onig_new[], onig_free[], onig_search_with_param[], onig_region_new[],
    onig_region_free[], onig_new_match_param[], onig_free_match_param[],
    onig_set_retry_limit_in_search_of_match_param[], onig_error_code_to_str[], OnigEncodingUTF8[], OnigDefaultSyntax[];
#endif

namespace bert {
namespace {

// As oniguruma.h declares them.
using Byte = unsigned char;
struct CharacterEncoding {
  int (*character_length)(const Byte* at);
  const char* name;
  int most_length, least_length;
  void* functions[15];
  unsigned flag, single_byte_range;
  int index;
};
struct ErrorInfo {
  const void* encoding;
  Byte* begin;
  Byte* end;
};
struct Region {
  int allocated;
  int count;
  int* begins;
  int* ends;
  void* history;
};
constexpr int kNormal = 0, kMismatch = -1, kNoMemory = -5, kRetryLimitInSearch = -18;
constexpr size_t kLongestMessage = 90;
constexpr size_t kFirstRetries = 256, kMatchesPerQuestion = 1024;

const Byte* bytes_of(std::string_view text) { return reinterpret_cast<const Byte*>(text.data()); }

struct Library {
  int (*initialize)(const CharacterEncoding** encodings, int count) = nullptr;
  int (*compile)(void** compiled, const Byte* begin, const Byte* end, unsigned options,
                 const CharacterEncoding* encoding, const void* syntax, ErrorInfo* info) = nullptr;
  void (*free)(void* compiled) = nullptr;
  int (*search)(void* compiled, const Byte* text, const Byte* end, const Byte* from, const Byte* range, Region* region,
                unsigned options, void* limits) = nullptr;
  Region* (*new_region)() = nullptr;
  void (*free_region)(Region* region, int itself) = nullptr;
  void* (*new_limits)() = nullptr;
  void (*free_limits)(void* limits) = nullptr;
  int (*set_retries)(void* limits, unsigned long most) = nullptr;
  int (*message)(Byte* text, int code, ...) = nullptr;
  const CharacterEncoding* utf8 = nullptr;
  CharacterEncoding counted = {};  // UTF-8 with a function that counts steps
  const void* const* syntax = nullptr;
  std::string problem;
};

#if defined(BERT_INFER_STATIC)
struct Symbol {
  std::string_view name;
  const void* address;
};

// For a static program: Oniguruma is linked, and nothing is loaded.
class Oniguruma {
 public:
  static std::string file() { return "Oniguruma"; }
  static std::string problem() { return {}; }
  static void* find(std::string_view name) {
    static const Symbol kSymbols[] = {
        {"onig_initialize", onig_initialize},
        {"onig_new", onig_new},
        {"onig_free", onig_free},
        {"onig_search_with_param", onig_search_with_param},
        {"onig_region_new", onig_region_new},
        {"onig_region_free", onig_region_free},
        {"onig_new_match_param", onig_new_match_param},
        {"onig_free_match_param", onig_free_match_param},
        {"onig_set_retry_limit_in_search_of_match_param", onig_set_retry_limit_in_search_of_match_param},
        {"onig_error_code_to_str", onig_error_code_to_str},
        {"OnigEncodingUTF8", OnigEncodingUTF8},
        {"OnigDefaultSyntax", OnigDefaultSyntax}};
    for (const Symbol& symbol : kSymbols) {
      if (symbol.name == name) return const_cast<void*>(symbol.address);
    }
    return nullptr;
  }
};
#else
class Oniguruma : public SharedLibrary {
 public:
  Oniguruma() : SharedLibrary("onig", {"5"}, "libonig5") {}
};
#endif

// Counts the work of one call of find(). The library asks its encoding for the length of each character that it reads,
// also in its innermost loops, and our encoding counts these calls. Once the limit is reached, every character seems to
// extend past the text, so that the rest of the search fails at once.
class SearchWork {
 public:
  enum class End { kNone, kTooMuch, kCancelled };

  SearchWork(std::string_view text, const std::function<bool()>& goes_on);
  ~SearchWork();
  SearchWork(const SearchWork&) = delete;
  SearchWork& operator=(const SearchWork&) = delete;

  // Implements CharacterEncoding::character_length.
  static int step(const Byte* at);
  // Counts steps, and asks whether the search goes on.
  void spend(size_t steps) {
    left_ -= std::min(left_, steps);
    if (end_ == End::kNone && left_ == 0) end_ = End::kTooMuch;
    if (end_ == End::kNone && goes_on_ && !goes_on_()) end_ = End::kCancelled;
    until_asked_ = end_ == End::kNone ? RegularExpression::kStepsPerQuestion : 1;
  }
  End end() const { return end_; }
  size_t left() const { return left_; }

 private:
  const Byte* const text_end_;
  const std::function<bool()>& goes_on_;
  size_t left_;
  size_t until_asked_ = RegularExpression::kStepsPerQuestion;
  End end_ = End::kNone;
};

constinit thread_local SearchWork* running_search = nullptr;  // this thread's search; null while an expression is
                                                              // compiled

SearchWork::SearchWork(std::string_view text, const std::function<bool()>& goes_on)
    : text_end_(bytes_of(text) + text.size()), goes_on_(goes_on), left_(RegularExpression::most_steps(text.size())) {
  running_search = this;
}
SearchWork::~SearchWork() { running_search = nullptr; }

int SearchWork::step(const Byte* at) {
  if (SearchWork* const work = running_search; work != nullptr) {
    if (at >= work->text_end_) return 1;  // it is not read
    if (--work->until_asked_ == 0) {
      work->spend(RegularExpression::kStepsPerQuestion);
      if (work->end_ != End::kNone) {
        return static_cast<int>(std::min<ptrdiff_t>(work->text_end_ - at, INT_MAX - 1)) + 1;
      }
    }
  }
  return *at < 0xC2 ? 1 : *at < 0xE0 ? 2 : *at < 0xF0 ? 3 : *at < 0xF5 ? 4 : 1;
}

Library load_library() {
  const Oniguruma file;
  Library library;
  library.problem = file.problem();
  if (!library.problem.empty()) return library;
  const auto find = [&](auto& symbol, const char* name) {
    symbol = reinterpret_cast<std::remove_reference_t<decltype(symbol)>>(file.find(name));
    if (symbol == nullptr) library.problem = file.file() + " has no " + name;
  };
  find(library.initialize, "onig_initialize");
  find(library.compile, "onig_new");
  find(library.free, "onig_free");
  find(library.search, "onig_search_with_param");
  find(library.new_region, "onig_region_new");
  find(library.free_region, "onig_region_free");
  find(library.new_limits, "onig_new_match_param");
  find(library.free_limits, "onig_free_match_param");
  find(library.set_retries, "onig_set_retry_limit_in_search_of_match_param");
  find(library.message, "onig_error_code_to_str");
  find(library.utf8, "OnigEncodingUTF8");
  find(library.syntax, "OnigDefaultSyntax");
  if (library.problem.empty() && library.initialize(&library.utf8, 1) != kNormal) {
    library.problem = file.file() + " cannot be initialized";
  }
  if (library.problem.empty()) {
    library.counted = *library.utf8;
    library.counted.character_length = SearchWork::step;
  }
  return library;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

std::string message_of(int code, ErrorInfo* info) {
  Byte text[kLongestMessage + 1] = {};
  const int length = info == nullptr ? library().message(text, code) : library().message(text, code, info);
  return {reinterpret_cast<const char*>(text), static_cast<size_t>(length)};
}

// Returns the error for a search for the expression, from a byte of the text, that was ended.
Error given_up(const std::string& expression, SearchWork::End end, int code, size_t from, std::string_view text) {
  const std::string search = "text: the search for the regular expression " + quote(expression) + " from byte " +
                             std::to_string(from) + " of " + std::to_string(text.size());
  if (end == SearchWork::End::kCancelled) return {ErrorCode::kCancelled, search + " was cancelled"};
  if (end == SearchWork::End::kTooMuch) {
    const size_t most = RegularExpression::most_steps(text.size());
    return {ErrorCode::kInvalidText, search + " needs more than the " + std::to_string(most) + " steps of a text"};
  }
  return {ErrorCode::kInvalidText, search + " ends with " + quote(message_of(code, nullptr))};
}

}  // namespace

RegularExpression::RegularExpression(std::string_view expression, std::string_view where) : expression_(expression) {
  const std::string place = std::string(where) + ": regular expression " + quote(expression);
  if (!library().problem.empty()) {
    throw Error(ErrorCode::kUnsupported, place + " needs Oniguruma: " + library().problem);
  }
  ErrorInfo info{};
  const std::string newer = with_newer_characters(expression, place);
  const int code = library().compile(&compiled_, bytes_of(newer), bytes_of(newer) + newer.size(), 0, &library().counted,
                                     *library().syntax, &info);
  if (code == kNoMemory) throw std::bad_alloc();
  if (code != kNormal) throw Error(ErrorCode::kInvalidFile, place + ": " + message_of(code, &info));
}

RegularExpression::~RegularExpression() { library().free(compiled_); }

void RegularExpression::find(std::string_view text, std::vector<TextRange>& matches,
                             const std::function<bool()>& goes_on) const {
  const Library& onig = library();
  const auto free_region = [&](Region* region) { onig.free_region(region, 1); };
  const std::unique_ptr<Region, decltype(free_region)> region(onig.new_region(), free_region);
  const std::unique_ptr<void, decltype(onig.free_limits)> limits(onig.new_limits(), onig.free_limits);
  if (!region || !limits) throw std::bad_alloc();
  const Byte *const begin = bytes_of(text), *const end = begin + text.size();
  SearchWork work(text, goes_on);
  // step() does not see retries: if the library's limit of retries is too low, the search starts again with four times
  // as many.
  const auto search = [&](size_t from) {
    for (size_t retries = kFirstRetries;; retries = std::min(4 * retries, work.left())) {
      onig.set_retries(limits.get(), retries);
      const int code = onig.search(compiled_, begin, end, begin + from, end, region.get(), 0, limits.get());
      if (code != kRetryLimitInSearch) return code;
      work.spend(retries);
      if (work.end() != SearchWork::End::kNone) return code;
    }
  };
  size_t last_end = std::string_view::npos;
  for (size_t from = 0; from <= text.size();) {
    const int code = search(from);
    if (code == kNoMemory) throw std::bad_alloc();
    if (work.end() != SearchWork::End::kNone || code < kMismatch)
      throw given_up(expression_, work.end(), code, from, text);
    if (code == kMismatch) return;
    const TextRange match = {static_cast<size_t>(region->begins[0]), static_cast<size_t>(region->ends[0])};
    if (match.begin == match.end && match.end == last_end) {
      from = last_end + (last_end < text.size() ? decode_utf8(text, last_end).bytes : 1);
      continue;
    }
    matches.push_back(match);
    if (matches.size() % kMatchesPerQuestion == 0) work.spend(kStepsPerQuestion);
    from = last_end = match.end;
  }
}

}  // namespace bert
