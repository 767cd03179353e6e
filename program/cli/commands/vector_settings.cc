#include "program/cli/commands/vector_settings.h"

#include <algorithm>

#include "bert/token_vectors.h"
#include "program/cli/common.h"
#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

// Returns a description of how the model's files make sparse vectors; "": they do not say it.
std::string sparse_module(const Model& model) {
  try {
    const SparseSettings settings = model.sparse();
    return settings.declared ? settings.module : "";
  } catch (const Error&) {
    return "";
  }
}

std::string mode_names(const PoolingSettings& pooling, const std::string& between) {
  return joined(pooling.modes, between, [](PoolingMode mode) { return name(mode); });
}

std::string pooling_text(const PoolingSettings& pooling) {
  if (!pooling.unsupported.empty()) return "as --pooling says: " + one_line(pooling.unsupported);
  std::string text = mode_names(pooling, " and ") + (pooling.normalize ? ", normalised" : ", not normalised");
  if (pooling.dimensions) text += ", its first " + std::to_string(*pooling.dimensions) + " numbers";
  return text + (pooling.declared ? "" : " (the default: the model's files do not say)");
}

}  // namespace

std::vector<std::pair<std::string, std::string>> vector_lines(const Model& model) {
  const PoolingSettings pooling = model.pooling();
  std::vector<std::pair<std::string, std::string>> lines = {{"sentence vector", pooling_text(pooling)}};
  if (!pooling.modules.empty()) lines.emplace_back("modules", joined(pooling.modules, "; "));
  const std::vector<Head>& heads = model.heads();
  const bool fills_masks = std::find(heads.begin(), heads.end(), Head::kMaskedLm) != heads.end();
  if (std::string sparse = sparse_module(model); !sparse.empty()) {
    lines.emplace_back("sparse vector", sparse);
  } else if (fills_masks && !pooling.declared) {
    lines.emplace_back("sparse vector", "by the masked LM head, for a SPLADE model: --kind sparse");
  }
  if (makes_token_vectors(model))
    lines.emplace_back("token vectors", joined(token_vector_settings(model).modules, "; "));
  return lines;
}

void add_vector_settings(JsonWriter& object, const Model& model) {
  const PoolingSettings settings = model.pooling();
  JsonWriter pooling;
  pooling.string("mode", mode_names(settings, "+"));
  pooling.boolean("normalize", settings.normalize);
  pooling.boolean("declared", settings.declared);
  if (!settings.modules.empty()) pooling.strings("modules", settings.modules);
  if (settings.dimensions) pooling.number("dimensions", *settings.dimensions);
  if (!settings.unsupported.empty()) pooling.string("unsupported", settings.unsupported);
  object.member("pooling") += pooling.take();
  if (const std::string sparse = sparse_module(model); !sparse.empty()) object.string("sparse", sparse);
  if (makes_token_vectors(model)) {
    object.strings("token_modules", token_vector_settings(model).modules);
  }
}

}  // namespace bert::cli
