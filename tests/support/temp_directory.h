// A directory of a test's own, removed with everything in it when the test ends; and the error a call throws, as text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bert/error.h"

namespace bert::test {

class TempDirectory {
 public:
  TempDirectory();
  ~TempDirectory();
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Writes a file, its folders too, and gives its path.
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

// What the call's Error says; "" where it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class Call>
std::string error_of(ErrorCode& code, Call call) {
  try {
    call();
  } catch (const Error& error) {
    code = error.code();
    return error.what();
  }
  return "";
}

}  // namespace bert::test
