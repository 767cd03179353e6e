// Reads JSON text, value by value. json.h builds its tree with it; long text of a known form (the header of a
// safetensors file, the vocabulary of a tokenizer) is read with it directly, without a tree. It needs no memory but the
// text, which it unescapes in place, and every error has its byte position in the file.
// Strict: integers without sign or leading zeros, nothing after the end. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert {

// The rules for reading where JSON libraries differ. kSerde: as serde_json, by which the reference reads tokenizer.json
// and safetensors. kPython: as Python's json, which writes half of a surrogate pair (read as U+FFFD) and, in a tree
// (json.h), NaN and Infinity.
enum class JsonDialect : uint8_t { kSerde, kPython };

class JsonScanner {
 public:
  // Writes to `text`: escapes are decoded in place, and the strings that string() returns point into it. file_offset:
  // the offset of `text` in the file `source`. All functions throw Error(kInvalidFile); the constructor for invalid
  // UTF-8.
  JsonScanner(std::span<char> text, std::string_view source, size_t file_offset,
              JsonDialect dialect = JsonDialect::kSerde);

  // Reads an object { "key": value, … }: calls member(key) after each colon, which must read the value. Throws for a
  // duplicate key.
  template <class Member>
  void object(std::string_view what, Member member) {
    if (const auto repeated = read_object(what, member); !repeated.empty()) refuse_repeated(repeated.front().later);
  }

  // A key and a later one that equals it.
  struct RepeatedKey {
    std::string_view earlier, later;
  };

  // Reads an object that may have duplicate keys. Returns them in the order of the text.
  template <class Member>
  std::vector<RepeatedKey> read_object(std::string_view what, Member member) {
    const size_t first = keys_.size();
    members(what, [&](std::string_view key) {
      add_key(key);
      member(key);
    });
    return take_repeated(first);
  }

  // Reads an object for a caller that finds duplicate keys itself.
  template <class Member>
  void members(std::string_view what, Member member) {
    expect('{', what);
    if (accept('}')) return;
    do {
      const std::string_view key = string("a key");
      expect(':', "a colon");
      member(key);
    } while (accept(','));
    expect('}', "a comma or a closing brace");
  }

  // Reads an array [ value, … ]: calls element() before each value, which must read it.
  template <class Element>
  void array(std::string_view what, Element element) {
    expect('[', what);
    if (accept(']')) return;
    do {
      element();
    } while (accept(','));
    expect(']', "a comma or a closing bracket");
  }

  std::string_view string(std::string_view what);  // `what` describes the string in errors: "a string, the dtype"
  uint64_t integer(std::string_view what);         // 0 to 2^63 - 1
  std::string_view number(std::string_view what);  // any number, as written

  // Returns whether this is the next byte that is not white space.
  bool next_is(char c);
  void expect(char c, std::string_view what);

  // Reads and returns the word if it comes next.
  std::optional<std::string_view> accept_word(std::string_view word);

  // Skips any value, with numbers of every form; returns its text, with escapes decoded in place. Duplicate keys in it
  // are allowed. Throws for more than `depth` open brackets, and for more than kMaxSkippedKeys keys in all skipped
  // values.
  static constexpr size_t kMaxSkippedKeys = 10000;
  std::string_view skip_value(int depth);

  // Sets the context that later errors name: "tensor 'x'". "": none.
  void about(std::string what) { about_ = std::move(what); }

  void end();                                                  // throws unless only white space is left
  size_t position() const;                                     // offset of the next byte in the file
  [[noreturn]] void refuse(const std::string& message) const;  // throws at position()
  [[noreturn]] void refuse_at(size_t position, const std::string& message) const;

 private:
  void skip_space();
  bool accept(char c);
  std::string found() const;  // describes the byte at at_, for errors
  uint32_t hex4();
  uint32_t surrogates(uint32_t first);
  bool skip_number();
  void add_key(std::string_view key);
  // Returns the duplicate keys of the object that ends, and removes its keys from keys_.
  std::vector<RepeatedKey> take_repeated(size_t first);
  [[noreturn]] void refuse_repeated(std::string_view key) const;

  std::span<char> text_;
  std::string source_;
  size_t file_offset_;
  JsonDialect dialect_;
  std::string about_;
  size_t at_ = 0;
  size_t line_ = 1;
  size_t skipped_keys_ = 0;

  // A key of an open object. prefix: its first eight bytes as a number, so that most comparisons need not read the
  // text.
  struct Key {
    uint64_t prefix;
    std::string_view text;
  };
  std::vector<Key> keys_;
};

}  // namespace bert
