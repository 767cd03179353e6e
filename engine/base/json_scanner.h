// A pull reader of JSON for texts that are long and whose grammar is known: the header of a safetensors file, the index
// of a sharded checkpoint, the vocabulary of a tokenizer. A tree of values would take twenty times the text; this takes
// nothing but the text, which it unescapes in place, and every error says at which byte of the file.
// Strict: integers without sign or leading zeros, no lone surrogates, nothing after the end. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace bert {

class JsonScanner {
 public:
  // `text` is written to (escapes become their characters); strings that string() returns lie in it. `file_offset` is
  // where the text begins in the file `source`. Throws Error(kInvalidFile) as all functions do, here for invalid UTF-8.
  // Values that are skipped may have so many keys in all: their names are kept for a while, to find duplicates.
  static constexpr size_t kMaxSkippedKeys = 10000;
  JsonScanner(std::span<char> text, std::string_view source, size_t file_offset,
              size_t max_skipped_keys = kMaxSkippedKeys);

  // { "key": value, … }: calls member(key) behind each colon; it has to read the value.
  template <class Member>
  void object(std::string_view what, Member member) {
    expect('{', what);
    if (accept('}')) return;
    do {
      const std::string_view key = string("a key");
      expect(':', "a colon");
      member(key);
    } while (accept(','));
    expect('}', "a comma or a closing brace");
  }

  // [ value, … ]: calls element() before each value; it has to read it.
  template <class Element>
  void array(std::string_view what, Element element) {
    expect('[', what);
    if (accept(']')) return;
    do {
      element();
    } while (accept(','));
    expect(']', "a comma or a closing bracket");
  }

  std::string_view string(std::string_view what);  // `what` names it in the error: "a string, the dtype"
  uint64_t integer(std::string_view what);         // 0 to 2^63 - 1
  std::string_view number(std::string_view what);  // any number, as it is written

  // The next byte that is no white space.
  bool next_is(char c);
  void expect(char c, std::string_view what);

  // Any value, numbers of every form included; gives its text, whose escapes are undone in place. Duplicate keys are
  // refused, more than `depth` open brackets, and too many keys.
  std::string_view skip_value(int depth);

  // What is read from here on belongs to this, which errors then name: "tensor 'x'". "": nothing in particular.
  void about(std::string what) { about_ = std::move(what); }

  void end();                                                  // only white space is left
  size_t position() const;                                     // in the file, of the next byte
  [[noreturn]] void refuse(const std::string& message) const;  // at position()
  [[noreturn]] void refuse_at(size_t position, const std::string& message) const;

 private:
  void skip_space();
  bool accept(char c);
  std::string found() const;  // what stands at at_, for errors
  uint32_t hex4();
  bool skip_word();
  bool skip_number();

  std::span<char> text_;
  std::string source_;
  size_t file_offset_;
  std::string about_;
  size_t at_ = 0;
  size_t max_skipped_keys_;
  size_t skipped_keys_ = 0;
};

}  // namespace bert
