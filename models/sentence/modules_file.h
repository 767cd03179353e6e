// Reads modules.json, the list of a model's modules, and the JSON files of the modules and the library. Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_source.h"
#include "engine/base/json/json.h"
#include "models/sentence/sentence_modules.h"

namespace bert {

// Returns nullopt if the file is missing. Adds messages for the user to `notices`, unless null: another call adds them.
std::optional<JsonDocument> read_json_file(const FileSource& files, const std::string& name,
                                           std::vector<std::string>* notices = nullptr);

// Returns [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}, …] in the order in
// which they run; nullopt without modules.json.
std::optional<std::vector<NamedModule>> read_modules_file(const FileSource& files,
                                                          std::vector<std::string>* notices = nullptr);

}  // namespace bert
