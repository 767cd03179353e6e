#include "tokenizer/pattern/newer_characters.h"

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "tokenizer/unicode/unicode_tables.h"

namespace bert {
namespace {

using Categories = std::vector<std::string_view>;

// Names of properties, without case, spaces, - and _, and the categories of their newer characters. Categories such as
// Z and Cc have none.
struct Property {
  std::string_view name;
  std::string_view category;
};
// clang-format off
constexpr Property kNamedProperties[] = {
    {"l", "L"},
    {"letter", "L"},
    {"lu", "Lu"},
    {"uppercaseletter", "Lu"},
    {"ll", "Ll"},
    {"lowercaseletter", "Ll"},
    {"lt", "Lt"},
    {"titlecaseletter", "Lt"},
    {"lm", "Lm"},
    {"modifierletter", "Lm"},
    {"lo", "Lo"},
    {"otherletter", "Lo"},
    {"m", "M"},
    {"mark", "M"},
    {"combiningmark", "M"},
    {"mn", "Mn"},
    {"nonspacingmark", "Mn"},
    {"mc", "Mc"},
    {"spacingmark", "Mc"},
    {"me", "Me"},
    {"enclosingmark", "Me"},
    {"n", "N"},
    {"number", "N"},
    {"nd", "Nd"},
    {"decimalnumber", "Nd"},
    {"digit", "Nd"},
    {"nl", "Nl"},
    {"letternumber", "Nl"},
    {"no", "No"},
    {"othernumber", "No"},
    {"p", "P"},
    {"punctuation", "P"},
    {"pc", "Pc"},
    {"connectorpunctuation", "Pc"},
    {"pd", "Pd"},
    {"dashpunctuation", "Pd"},
    {"ps", "Ps"},
    {"openpunctuation", "Ps"},
    {"pe", "Pe"},
    {"closepunctuation", "Pe"},
    {"pi", "Pi"},
    {"initialpunctuation", "Pi"},
    {"pf", "Pf"},
    {"finalpunctuation", "Pf"},
    {"po", "Po"},
    {"otherpunctuation", "Po"},
    {"s", "S"},
    {"symbol", "S"},
    {"sm", "Sm"},
    {"mathsymbol", "Sm"},
    {"sc", "Sc"},
    {"currencysymbol", "Sc"},
    {"sk", "Sk"},
    {"modifiersymbol", "Sk"},
    {"so", "So"},
    {"othersymbol", "So"},
    {"z", "Z"},
    {"separator", "Z"},
    {"zs", "Z"},
    {"spaceseparator", "Z"},
    {"zl", "Z"},
    {"lineseparator", "Z"},
    {"zp", "Z"},
    {"paragraphseparator", "Z"},
    {"space", "Z"},
    {"whitespace", "Z"},
    {"blank", "Z"},
    {"cc", "Cc"},
    {"control", "Cc"},
    {"cntrl", "Cc"},
    {"cf", "Cf"},
    {"format", "Cf"},
    {"xdigit", "Z"},
    {"ascii", "Z"},
    {"any", "Z"},
};
// clang-format on

std::optional<Categories> categories_of(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (plain == "word") return Categories{"L", "M", "Nd"};
  if (plain == "punct") return Categories{"P"};
  const auto known = std::find_if(std::begin(kNamedProperties), std::end(kNamedProperties),
                                  [&](const Property& property) { return property.name == plain; });
  return known == std::end(kNamedProperties) ? std::nullopt : std::optional(Categories{known->category});
}

// Returns \x{1C89}-\x{1C8A}...: the newer characters of the categories.
std::string newer_ranges(const Categories& categories) {
  const auto hexadecimal = [](char32_t c) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string digits;
    for (; c > 0; c >>= 4) digits.insert(digits.begin(), kDigits[c & 15]);
    return "\\x{" + digits + "}";
  };
  std::string ranges;
  for (const CategoryRange& range : std::span(kNewCategoryRanges, kNewCategoryRangeCount)) {
    const std::string_view name = range.category;
    const bool wanted = std::any_of(categories.begin(), categories.end(),
                                    [&](std::string_view category) { return name.starts_with(category); });
    if (!wanted) continue;
    ranges += hexadecimal(range.first);
    if (range.last > range.first) ranges += "-" + hexadecimal(range.last);
  }
  return ranges;
}

// Copies an expression and rewrites its character sets.
class Rewriter {
 public:
  Rewriter(std::string_view expression, std::string_view place) : rest_(expression), place_(place) {}

  std::string rewrite() {
    while (!rest_.empty()) {
      if (rest_.starts_with('\\')) {
        rewrite_escape();
      } else if (brackets_ > 0 && rest_.starts_with("[:")) {
        rewrite_posix();
      } else if (rest_.starts_with('[')) {
        ++brackets_;
        copy(1);
        if (rest_.starts_with('^')) copy(1);
        if (rest_.starts_with(']')) copy(1);  // a first ] is a literal character
      } else {
        if (brackets_ > 0 && rest_.starts_with(']')) --brackets_;
        copy(1);
      }
    }
    return std::move(result_);
  }

 private:
  std::string_view take(size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  void copy(size_t bytes) { result_ += take(bytes); }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(ErrorCode::kUnsupported,
                std::string(place_) + ": " + quote(what) +
                    " is not supported, expected a general category such as \\p{L}, or [:punct:]");
  }

  void rewrite_escape() {
    const char letter = rest_.size() > 1 ? rest_[1] : '\0';
    const bool negated = letter == 'W' || letter == 'D' || letter == 'P';
    switch (letter) {
      case 'w':
      case 'W':
        return add_set(take(2), negated, {"L", "M", "Nd"}, brackets_ > 0);
      case 'd':
      case 'D':
        return add_set(take(2), negated, {"Nd"}, true);
      case 'b':
      case 'B':
        return brackets_ > 0 ? copy(2) : add_boundary(take(2)[1] == 'b');
      case 'X':
      case 'y':
      case 'Y':
        refuse(take(2));
      case 'p':
      case 'P':
        return rewrite_property(negated);
      default:
        copy(2);
    }
  }

  void rewrite_property(bool negated) {
    const size_t end = rest_.find('}');
    if (!rest_.substr(2).starts_with('{') || end == std::string_view::npos) return copy(2);
    const std::string_view text = take(end + 1);
    std::string_view name = text.substr(3, text.size() - 4);
    const bool inverted = name.starts_with('^');
    if (inverted) name.remove_prefix(1);
    const auto categories = categories_of(name);
    if (!categories) refuse(text);
    add_set(text, negated != inverted, *categories, categories->size() == 1);
  }

  // Rewrites [:alpha:] in brackets. The reference's [:punct:] includes symbols; Oniguruma's before 6.9.9 does not.
  void rewrite_posix() {
    const size_t end = rest_.find(":]");
    if (end == std::string_view::npos) return copy(2);
    const std::string_view text = take(end + 2);
    const bool negated = text.starts_with("[:^");
    const std::string_view name = text.substr(negated ? 3 : 2, text.size() - (negated ? 5 : 4));
    if (name == "punct") {
      result_.append(negated ? "[^" : "[").append("\\p{P}\\p{S}").append(newer_ranges({"P", "S"})).append("]");
      return;
    }
    const auto categories = categories_of(name);
    if (!categories) refuse(text);
    result_.append(negated ? "[^[:" : "[[:").append(name).append(":]").append(newer_ranges(*categories)).append("]");
  }

  // Rewrites \b and \B: whether exactly one of the two neighbours is a word character.
  void add_boundary(bool boundary) {
    const std::string word = "(?:\\w|[" + newer_ranges({"L", "M", "Nd"}) + "])";
    const std::string after = boundary ? "(?!" : "(?=", before = boundary ? "(?=" : "(?!";
    result_ += "(?:(?<=" + word + ")" + after + word + ")|(?<!" + word + ")" + before + word + "))";
  }

  // text: the set as written. equal_in_brackets: it means the same in brackets, unless case is ignored.
  void add_set(std::string_view text, bool negated, const Categories& categories, bool equal_in_brackets) {
    const std::string ranges = newer_ranges(categories);
    if (ranges.empty()) {
      result_ += text;
    } else if (brackets_ > 0 || (equal_in_brackets && !ignores_case_)) {
      result_.append(negated ? "[^[^" : "[").append(text).append(negated ? "]" : "").append(ranges).append("]");
    } else if (negated) {
      result_.append("(?:(?![").append(ranges).append("])").append(text).append(")");
    } else {
      result_.append("(?:").append(text).append("|[").append(ranges).append("])");
    }
  }

  // Returns whether the expression contains the option (?i) or (?i:...).
  static bool has_case_option(std::string_view expression) {
    for (size_t at = expression.find("(?"); at != std::string_view::npos; at = expression.find("(?", at + 1)) {
      const size_t end = expression.find_first_not_of("imxWDSPyg{}-", at + 2);
      if (expression.substr(at, end - at).find('i') != std::string_view::npos) return true;
    }
    return false;
  }

  std::string_view rest_, place_;
  bool ignores_case_ = has_case_option(rest_);
  int brackets_ = 0;  // nesting depth
  std::string result_;
};

}  // namespace

std::string with_newer_characters(std::string_view expression, std::string_view place) {
  return Rewriter(expression, place).rewrite();
}

}  // namespace bert
