// config.json of GLiNER2 and GLiNER2.5: how labels and words are read, and the layers beside the encoder. What the
// library would compute and this one does not is rejected by name. Source: gliner2 2.1.0. Stateless.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/base/file_source.h"
#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/gliner/gliner_settings.h"

namespace bert {

inline constexpr const char* kGliner2EncoderFolder = "encoder_config";  // of the encoder's config.json

// What makes a label's query after the recurrent unit.
enum class CountLayer { kTwoLayers, kExperts, kTransformer };

struct Gliner2Settings {
  WordPooling pooling = WordPooling::kFirst;
  // Entities by spans of words:
  size_t max_width = 8;  // words of a span at most
  CountLayer count_layer = CountLayer::kTwoLayers;
  // or by their boundaries; nullopt: by spans.
  std::optional<BoundarySettings> boundaries = {};
};

// nullopt: the directory is of another kind. Throws Error: kInvalidFile, with field, found and expected; kUnsupported.
std::optional<Gliner2Settings> read_gliner2_settings(const FileSource& files);

}  // namespace bert
