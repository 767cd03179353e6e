#include "tokenizer/pattern/regular_expression.h"

#include <memory>
#include <string>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/shared_library.h"
#include "engine/base/utf8.h"
#include "tokenizer/pattern/newer_characters.h"

#if defined(BERT_INFER_STATIC)
// Only the addresses of these are used.
extern "C" const char onig_initialize[], onig_new[], onig_free[], onig_search[], onig_region_new[], onig_region_free[],
    onig_error_code_to_str[], OnigEncodingUTF8[], OnigDefaultSyntax[];
#endif

namespace bert {
namespace {

// As oniguruma.h declares them.
using Byte = unsigned char;
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
constexpr int kNormal = 0, kMismatch = -1;
constexpr size_t kLongestMessage = 90;

struct Library {
  int (*initialize)(const void** encodings, int count) = nullptr;
  int (*compile)(void** compiled, const Byte* begin, const Byte* end, unsigned options, const void* encoding,
                 const void* syntax, ErrorInfo* info) = nullptr;
  void (*free)(void* compiled) = nullptr;
  int (*search)(void* compiled, const Byte* text, const Byte* end, const Byte* from, const Byte* range, Region* region,
                unsigned options) = nullptr;
  Region* (*new_region)() = nullptr;
  void (*free_region)(Region* region, int itself) = nullptr;
  int (*message)(Byte* text, int code, ...) = nullptr;
  const void* utf8 = nullptr;
  const void* const* syntax = nullptr;
  std::string problem;
};

#if defined(BERT_INFER_STATIC)
struct Symbol {
  std::string_view name;
  const void* address;
};

// Linked: a static program loads nothing.
class Oniguruma {
 public:
  static std::string file() { return "Oniguruma"; }
  static std::string problem() { return {}; }
  static void* find(std::string_view name) {
    static const Symbol kSymbols[] = {{"onig_initialize", onig_initialize},
                                      {"onig_new", onig_new},
                                      {"onig_free", onig_free},
                                      {"onig_search", onig_search},
                                      {"onig_region_new", onig_region_new},
                                      {"onig_region_free", onig_region_free},
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
  find(library.search, "onig_search");
  find(library.new_region, "onig_region_new");
  find(library.free_region, "onig_region_free");
  find(library.message, "onig_error_code_to_str");
  find(library.utf8, "OnigEncodingUTF8");
  find(library.syntax, "OnigDefaultSyntax");
  if (library.problem.empty() && library.initialize(&library.utf8, 1) != kNormal) {
    library.problem = file.file() + " cannot be initialized";
  }
  return library;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

const Byte* bytes_of(std::string_view text) { return reinterpret_cast<const Byte*>(text.data()); }

std::string message_of(int code, ErrorInfo* info) {
  Byte text[kLongestMessage + 1] = {};
  const int length = info == nullptr ? library().message(text, code) : library().message(text, code, info);
  return {reinterpret_cast<const char*>(text), static_cast<size_t>(length)};
}

}  // namespace

RegularExpression::RegularExpression(std::string_view expression, std::string_view where) : expression_(expression) {
  const std::string place = std::string(where) + ": regular expression " + quote(expression);
  if (!library().problem.empty()) {
    throw Error(ErrorCode::kUnsupported, place + " needs Oniguruma: " + library().problem);
  }
  ErrorInfo info{};
  const std::string newer = with_newer_characters(expression, place);
  const int code = library().compile(&compiled_, bytes_of(newer), bytes_of(newer) + newer.size(), 0, library().utf8,
                                     *library().syntax, &info);
  if (code != kNormal) throw Error(ErrorCode::kInvalidFile, place + ": " + message_of(code, &info));
}

RegularExpression::~RegularExpression() { library().free(compiled_); }

void RegularExpression::find(std::string_view text, std::vector<TextRange>& matches) const {
  const Library& onig = library();
  const auto free_region = [&](Region* region) { onig.free_region(region, 1); };
  const std::unique_ptr<Region, decltype(free_region)> region(onig.new_region(), free_region);
  const Byte* const begin = bytes_of(text);
  const Byte* const end = begin + text.size();
  size_t last_end = std::string_view::npos;
  for (size_t from = 0; from <= text.size();) {
    const int code = onig.search(compiled_, begin, end, begin + from, end, region.get(), 0);
    if (code == kMismatch) return;
    if (code < 0) {
      throw Error(ErrorCode::kInvalidText, "text: the search for the regular expression " + quote(expression_) +
                                               " from byte " + std::to_string(from) + " of " +
                                               std::to_string(text.size()) + " ends with " +
                                               quote(message_of(code, nullptr)));
    }
    const TextRange match = {static_cast<size_t>(region->begins[0]), static_cast<size_t>(region->ends[0])};
    if (match.begin == match.end && match.end == last_end) {
      from = last_end + (last_end < text.size() ? decode_utf8(text, last_end).bytes : 1);
      continue;
    }
    matches.push_back(match);
    from = last_end = match.end;
  }
}

}  // namespace bert
