// Sets an environment variable for the length of a test. The destructor restores the former value.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace bert::test {

class WithVariable {
 public:
  // If value is null, the variable is removed.
  WithVariable(std::string name, const char* value) : name_(std::move(name)) {
    if (const char* old = std::getenv(name_.c_str())) old_ = old;
    set(value);
  }
  WithVariable(const WithVariable&) = delete;
  WithVariable& operator=(const WithVariable&) = delete;
  ~WithVariable() { set(old_ ? old_->c_str() : nullptr); }

 private:
#if defined(_WIN32)
  void set(const char* value) const { _putenv_s(name_.c_str(), value == nullptr ? "" : value); }
#else
  void set(const char* value) const { value == nullptr ? unsetenv(name_.c_str()) : setenv(name_.c_str(), value, 1); }
#endif
  std::string name_;
  std::optional<std::string> old_;
};

}  // namespace bert::test
