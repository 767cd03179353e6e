// Reads config.json of model2vec, which writes static models: a table with a row for each token, and no modules.
// Stateless.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_source.h"
#include "engine/base/json/json.h"

namespace bert {

struct Model2vecConfig {
  JsonDocument json;
  std::vector<std::string> notices = {};  // how the form was recognised, if the file does not name it; duplicate keys
};

// Returns nullopt if there is no config.json or it belongs to another kind of model. model2vec writes a model_type only
// when it distils a model: without one, and without modules.json, the checkpoint's tensors decide. has_modules:
// modules.json names a StaticEmbedding of the whole directory, as model2vec writes it.
std::optional<Model2vecConfig> read_model2vec_config(const FileSource& files, bool has_modules);

}  // namespace bert
