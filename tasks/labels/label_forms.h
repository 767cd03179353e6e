// The forms of models that read labels: the file's encoder or encoders, and the layers beside them. Stateless.
#pragma once

#include <filesystem>
#include <optional>

#include "models/model/model_form.h"

namespace bert {

// Return nullopt if the directory has another form. Throw Error for settings that are malformed or unsupported, and for
// an encoder that the settings name but that does not exist.
std::optional<ModelForm> gliner_form(const std::filesystem::path& directory, const LoadOptions& options);
std::optional<ModelForm> gliner2_form(const std::filesystem::path& directory, const LoadOptions& options);
std::optional<ModelForm> gliclass_form(const std::filesystem::path& directory, const LoadOptions& options);

}  // namespace bert
