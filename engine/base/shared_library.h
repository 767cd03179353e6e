// A shared library that is loaded when it is needed, and stays loaded until the process ends. A static program
// (BERT_INFER_STATIC) loads none. engine/base/posix/ and windows/ implement it. Immutable.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace bert {

class SharedLibrary {
 public:
  // Loads the first of these versions that exists: {"onig", {"5"}} is libonig.so.5 or libonig.5.dylib; "" is the name
  // without a version. package: Debian's package, for the message.
  SharedLibrary(std::string_view name, std::initializer_list<std::string_view> versions, std::string_view package);

  // The loaded file, or the first one that was tried.
  const std::string& file() const { return file_; }
  // Why no file was loaded; else empty.
  const std::string& problem() const { return problem_; }
  // Returns a function or a variable; null if the library has none of this name. Requires a loaded library.
  void* find(const char* symbol) const;

 private:
  std::string file_, problem_;
  void* handle_ = nullptr;
};

}  // namespace bert
