// Typed reading of one JSON object's fields. A field that is absent gives the default; one of another type or outside
// its range is an Error(kInvalidFile) that names file, field, found and expected. Views: the object and the file's name
// outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"

namespace bert {

class JsonFields {
 public:
  // Throws where `object` is none. `where` is put before a field's name, for objects inside of others.
  JsonFields(const Json& object, std::string_view source, std::string where = "");

  struct Range {
    int64_t min;
    int64_t max;
  };

  bool has(const char* name) const { return object_.contains(name); }
  bool is_null(const char* name) const;
  const Json* find(const char* name) const;  // nullptr: absent
  std::optional<int64_t> integer(const char* name, Range range) const;
  size_t size(const char* name, size_t otherwise, Range range) const;
  bool boolean(const char* name, bool otherwise) const;
  std::string string(const char* name, std::string otherwise) const;
  double positive_number(const char* name, double otherwise) const;  // finite
  std::vector<std::string> strings(const char* name) const;          // absent: none

  // 'config.json': hidden_size "768", expected <expected>.
  [[noreturn]] void refuse(const char* name, const std::string& expected) const;
  const std::string& source() const { return source_; }

 private:
  const Json& object_;
  std::string source_;
  std::string where_;
};

}  // namespace bert
