#include "models/sentence/chat_template.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"

namespace bert {
namespace {

bool is_white(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

void trim_end(std::string& text) {
  while (!text.empty() && is_white(text.back())) text.pop_back();
}

}  // namespace

// Blocks are trimmed as transformers configures Jinja: the line end after a statement and the white space before it on
// its line are removed (trim_blocks, lstrip_blocks), and one line end at the template's end.
class ChatTemplate::Parser {
 public:
  Parser(std::string_view text, const std::string& source) : source_(source) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
      text_ += text[i] == '\r' ? '\n' : text[i];
    }
    if (text_.ends_with('\n')) text_.pop_back();
  }

  std::vector<Piece> parse() {
    while (at_ < text_.size()) {
      const size_t open = next_block();
      std::string literal = text_.substr(at_, open - at_);
      at_ = open;
      if (open == text_.size()) {
        add({.text = std::move(literal)});
        break;
      }
      const char kind = text_[open + 1];
      at_ += 2;
      const bool is_kept = take('+');
      if (take('-')) {
        trim_end(literal);
      } else if (kind != '{' && !is_kept) {
        strip_line(literal, open);
      }
      add({.text = std::move(literal)});
      if (kind == '#') {
        skip_comment();
      } else if (kind == '%') {
        statement();
      } else {
        add(value());
        close("}}");
      }
    }
    return std::move(pieces_);
  }

 private:
  // The kind of an expression: all messages, those of a role, their contents, one message, or a piece.
  enum class Kind { kMessages, kOfRole, kContents, kMessage, kPiece };
  struct Expression {
    Kind kind;
    Piece piece = {};
  };

  [[noreturn]] void refuse(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw Error(ErrorCode::kUnsupported, source_ + ": line " + std::to_string(line) + " of the chat template: " + what +
                                             ", expected text and the contents of the messages system, query and "
                                             "document");
  }

  size_t next_block() const {
    size_t open = at_;
    while ((open = text_.find('{', open)) != text_.npos) {
      const char next = open + 1 < text_.size() ? text_[open + 1] : ' ';
      if (next == '{' || next == '%' || next == '#') return open;
      ++open;
    }
    return text_.size();
  }

  // Removes the white space between the line's beginning and a block.
  void strip_line(std::string& literal, size_t open) const {
    size_t end = literal.size();
    while (end > 0 && (literal[end - 1] == ' ' || literal[end - 1] == '\t')) --end;
    const bool begins_line = end > 0 ? literal[end - 1] == '\n' : open == literal.size();
    if (begins_line) literal.resize(end);
  }

  void add(Piece piece) {
    if (piece.role == Role::kNone && piece.text.empty()) return;
    pieces_.push_back(std::move(piece));
  }

  void skip_white() {
    while (at_ < text_.size() && is_white(text_[at_])) ++at_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_symbol(char c) {
    skip_white();
    return take(c);
  }
  void need(char c) {
    if (!take_symbol(c)) refuse(found_here());
  }
  std::string found_here() const { return "found " + quote(text_.substr(at_, text_.find('\n', at_) - at_), 60); }

  std::string word() {
    skip_white();
    const size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string string() {
    skip_white();
    const char mark = at_ < text_.size() ? text_[at_] : ' ';
    if (mark != '"' && mark != '\'') refuse(found_here());
    ++at_;
    std::string value;
    while (at_ < text_.size() && text_[at_] != mark) {
      char c = text_[at_++];
      if (c == '\\' && at_ < text_.size()) {
        c = text_[at_++];
        if (c == 'n')
          c = '\n';
        else if (c == 't')
          c = '\t';
        else if (c != '\\' && c != '"' && c != '\'')
          refuse("found an escape '\\" + std::string(1, c) + "'");
      }
      value += c;
    }
    need(mark);
    return value;
  }

  // Reads the end of a block, and what the block removes after itself.
  void close(std::string_view end) {
    skip_white();
    const bool trims = take('-');
    const bool is_kept = !trims && take('+');
    if (text_.compare(at_, 2, end) != 0) refuse(found_here());
    at_ += 2;
    if (trims) {
      skip_white();
    } else if (end != "}}" && !is_kept) {
      take('\n');
    }
  }

  void skip_comment() {
    const size_t end = text_.find("#}", at_);
    if (end == text_.npos) refuse("a comment without its end");
    at_ = end > at_ && text_[end - 1] == '-' ? end - 1 : end;
    close("#}");
  }

  void statement() {
    const std::string keyword = word();
    if (keyword != "set") refuse("found the statement " + quote(keyword, 40));
    const std::string name = word();
    need('=');
    variables_[name] = value();
    close("%}");
  }

  Piece value() {
    const Expression found = expression();
    if (found.kind != Kind::kPiece) refuse("found messages where their content must be");
    return found.piece;
  }

  Expression expression() {
    Expression found = primary();
    while (true) {
      if (take_symbol('|')) {
        found = filtered(found, word());
      } else if (take_symbol('.')) {
        found = member(found, word());
      } else if (take_symbol('[')) {
        found = element(found);
      } else {
        return found;
      }
    }
  }

  Expression primary() {
    skip_white();
    if (take('(')) {
      if (++depth_ > kMaxDepth) refuse("found more than " + std::to_string(kMaxDepth) + " open parentheses");
      const Expression inside = expression();
      need(')');
      --depth_;
      return inside;
    }
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      return {Kind::kPiece, {.text = string()}};
    }
    const size_t begin = at_;
    const std::string name = word();
    if (name == "messages") return {Kind::kMessages};
    const auto variable = variables_.find(name);
    if (variable != variables_.end()) return {Kind::kPiece, variable->second};
    at_ = begin;
    refuse(found_here());
  }

  static Role role_of(const std::string& name) {
    return name == "system"     ? Role::kSystem
           : name == "query"    ? Role::kQuery
           : name == "document" ? Role::kDocument
                                : Role::kNone;
  }

  Expression filtered(Expression found, const std::string& filter) {
    if (filter == "selectattr" && found.kind == Kind::kMessages) {
      need('(');
      const std::string attribute = string();
      need(',');
      const std::string test = string();
      need(',');
      const std::string role = string();
      need(')');
      const bool is_equality = test == "eq" || test == "equalto" || test == "==";
      if (attribute != "role" || !is_equality) refuse("found selectattr by " + quote(attribute + " " + test, 40));
      if (role_of(role) == Role::kNone) refuse("found the role " + quote(role, 40));
      return {Kind::kOfRole, {.role = role_of(role)}};
    }
    if (filter == "map" && found.kind == Kind::kOfRole) {
      need('(');
      if (word() != "attribute") refuse("found another argument of map");
      need('=');
      if (const std::string attribute = string(); attribute != "content")
        refuse("found map by " + quote(attribute, 40));
      need(')');
      return {Kind::kContents, found.piece};
    }
    if (filter == "first" && found.kind == Kind::kOfRole) return {Kind::kMessage, found.piece};
    if (filter == "first" && found.kind == Kind::kContents) return {Kind::kPiece, found.piece};
    if (filter == "default" && found.kind == Kind::kPiece && found.piece.role != Role::kNone) {
      need('(');
      found.piece.text = string();
      if (take_symbol(',')) {
        if (const std::string flag = word(); flag != "true" && flag != "True") refuse("found " + quote(flag, 40));
        found.piece.is_for_empty = true;
      }
      need(')');
      return found;
    }
    refuse("found the filter " + quote(filter, 40));
  }

  // Reads messages.content, or .text of a structured content.
  Expression member(Expression found, const std::string& name) {
    if (name == "content" && found.kind == Kind::kMessage) return {Kind::kPiece, found.piece};
    if (name == "text" && found.kind == Kind::kPiece && found.piece.role != Role::kNone) return found;
    refuse("found the member " + quote(name, 40));
  }

  // Reads ["content"], or the first part of a structured content.
  Expression element(Expression found) {
    skip_white();
    const bool is_name = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    const std::string index = is_name ? string() : word();
    need(']');
    if (is_name) return member(found, index);
    if (index == "0" && found.kind == Kind::kPiece && found.piece.role != Role::kNone) return found;
    refuse("found the index " + quote(index, 40));
  }

  static constexpr size_t kMaxDepth = 50;

  const std::string source_;
  std::string text_;
  size_t depth_ = 0;
  size_t at_ = 0;
  std::map<std::string, Piece> variables_;
  std::vector<Piece> pieces_;
};

ChatTemplate::ChatTemplate(std::string_view text, const std::string& source) : pieces_(Parser(text, source).parse()) {
  for (const auto& [role, name] : {std::pair(Role::kQuery, "query"), {Role::kDocument, "document"}}) {
    const auto is_it = [wanted = role](const Piece& piece) { return piece.role == wanted; };
    if (std::any_of(pieces_.begin(), pieces_.end(), is_it)) continue;
    throw Error(ErrorCode::kUnsupported,
                source + ": the chat template does not have the message '" + name + "', expected it and its pair");
  }
}

std::string ChatTemplate::render(std::string_view query, std::string_view document,
                                 const std::optional<std::string>& instruction) const {
  std::string text;
  for (const Piece& piece : pieces_) {
    switch (piece.role) {
      case Role::kNone:
        text += piece.text;
        break;
      case Role::kSystem:
        text += instruction && !(instruction->empty() && piece.is_for_empty) ? *instruction : piece.text;
        break;
      case Role::kQuery:
        text += query;
        break;
      case Role::kDocument:
        text += document;
        break;
    }
  }
  return text;
}

}  // namespace bert
