// Strict JSON for files that nobody vouches for: size, depth and duplicate keys are checked while parsing.
// Python's NaN and Infinity literals are read as the strings "NaN", "Infinity" and "-Infinity": harmless in a field
// nobody uses, refused by type in one that is used. Stateless; safe to call from many threads.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace bert {

using Json = nlohmann::json;

struct JsonLimits {
  size_t max_bytes = 16u << 20;
  int max_depth = 64;
};

// Throws Error(kInvalidFile) with `source` (a file's name), the byte position and what was found there.
Json parse_json(std::string_view text, std::string_view source, const JsonLimits& limits = {});

// A value as it should appear in an error: its JSON text, cut after 60 bytes.
std::string json_excerpt(const Json& value);

}  // namespace bert
