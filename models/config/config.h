// Converts config.json to ModelConfig: checks type and range of every field that changes a number, and rejects by name
// what this library would compute wrongly. Ignores fields that do not change an encoder's numbers. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bert/config.h"
#include "engine/base/file_source.h"
#include "engine/base/json/json_object.h"

namespace bert {

// Throws Error: kInvalidFile with file, field, found and expected; kUnsupported for a valid but unsupported setting.
// notices: receives messages for the user about settings that are not used; null: not wanted.
ModelConfig parse_config(std::string_view json, std::string_view source, std::vector<std::string>* notices = nullptr);

// Reads the configuration from an object in another file. Throws as parse_config does.
ModelConfig read_config(const JsonObject& fields, std::vector<std::string>* notices = nullptr);

// Reads a model's config.json. Throws Error(kNotFound) if there is none.
ModelConfig read_config(const FileSource& files, std::vector<std::string>* notices = nullptr);

// Returns the labels of outputs without names, as in the reference library: LABEL_0, LABEL_1, …
inline std::vector<std::optional<std::string>> default_labels(size_t count) {
  std::vector<std::optional<std::string>> labels;
  for (size_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
  return labels;
}

}  // namespace bert
