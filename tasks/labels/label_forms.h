// The forms of models that read labels: the encoder, or encoders, of the file, and what is beside them. Stateless.
#pragma once

#include <filesystem>
#include <optional>

#include "models/model/model_form.h"

namespace bert {

// nullopt: the directory has another form. Throw Error for settings that are malformed or unsupported, and for an
// encoder that they name and that is not there.
std::optional<ModelForm> gliner_form(const std::filesystem::path& directory, const LoadOptions& options);
std::optional<ModelForm> gliner2_form(const std::filesystem::path& directory, const LoadOptions& options);
std::optional<ModelForm> gliclass_form(const std::filesystem::path& directory, const LoadOptions& options);

}  // namespace bert
