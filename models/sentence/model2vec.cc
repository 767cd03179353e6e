#include "models/sentence/model2vec.h"

#include <algorithm>
#include <utility>

#include "bert/error.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/checkpoint.h"
#include "models/sentence/modules_file.h"

namespace bert {
namespace {

bool is_static_table(const Checkpoint& checkpoint) {
  const StoredTensor* const rows = checkpoint.find("embeddings");
  const auto is_known = [](const StoredTensor& tensor) {
    return tensor.name == "embeddings" || tensor.name == "mapping" || tensor.name == "weights";
  };
  return rows != nullptr && rows->shape.size() == 2 &&
         std::all_of(checkpoint.tensors().begin(), checkpoint.tensors().end(), is_known);
}

bool has_static_table(const FileSource& files) {
  try {
    return is_static_table(Checkpoint::open(path_of(files.name())));
  } catch (const Error&) {
    return false;  // the code that needs the weights reports why there are none
  }
}

}  // namespace

std::optional<Model2vecConfig> read_model2vec_config(const FileSource& files, bool has_modules) {
  std::vector<std::string> notices;
  std::optional<JsonDocument> json = read_json_file(files, "config.json", &notices);
  if (!json) return std::nullopt;
  Model2vecConfig config{.json = std::move(*json), .notices = std::move(notices)};
  if (has_modules) return config;
  const Json root = config.json.root();
  if (!root.is_object()) return std::nullopt;
  const std::optional<Json> type = root.find("model_type");
  if (type && type->is_string() && type->string() == "model2vec") return config;
  if (type || root.find("architectures") || !has_static_table(files)) return std::nullopt;
  config.notices.push_back(quote_path(files.display_name("config.json")) +
                           ": no model_type; the weights are those of a static model of model2vec, and so they are "
                           "read: a tensor 'embeddings' of two dimensions, without an encoder");
  return config;
}

}  // namespace bert
