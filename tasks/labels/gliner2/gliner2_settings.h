// Reads config.json of GLiNER2 and GLiNER2.5: how labels and words are read, and the layers beside the encoder.
// Settings that the reference supports but this library does not are rejected by name. Source: gliner2 2.1.0.
// Stateless.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/base/file_source.h"
#include "tasks/labels/boundaries/boundary_settings.h"
#include "tasks/labels/gliner/gliner_settings.h"

namespace bert {

inline constexpr const char* kGliner2EncoderFolder = "encoder_config";  // folder of the encoder's config.json

// The layer after the recurrent unit, which makes a label's query.
enum class CountLayer { kTwoLayers, kExperts, kTransformer };

struct Gliner2Settings {
  WordPooling pooling = WordPooling::kFirst;
  // For entities by spans of words:
  size_t max_width = 8;  // limit of the words of a span
  CountLayer count_layer = CountLayer::kTwoLayers;
  // For entities by boundaries; nullopt: entities are found by spans.
  std::optional<BoundarySettings> boundaries = {};
};

// Returns nullopt if the directory is of another kind. Throws Error: kInvalidFile, with field, found and expected;
// kUnsupported.
std::optional<Gliner2Settings> read_gliner2_settings(const FileSource& files);

}  // namespace bert
