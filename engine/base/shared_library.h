// A library that the system loads when it is needed, and that stays until the process ends. A static program
// (BERT_INFER_STATIC) loads none. engine/base/posix/ implements it. Immutable.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace bert {

class SharedLibrary {
 public:
  // The first of these versions of its interface that is there: {"onig", {"5"}} is libonig.so.5 or libonig.5.dylib;
  // "" is the name without a version. package: Debian's, for the message.
  SharedLibrary(std::string_view name, std::initializer_list<std::string_view> versions, std::string_view package);

  // The file that was loaded, or that was looked for first.
  const std::string& file() const { return file_; }
  // Why none was loaded; else empty.
  const std::string& problem() const { return problem_; }
  // A function or a variable; null if the library has none of this name. Only if one was loaded.
  void* find(const char* symbol) const;

 private:
  std::string file_, problem_;
  void* handle_ = nullptr;
};

}  // namespace bert
