// Which files a model's directory may have beside its weights, by model_files.txt. Stateless.
#pragma once

#include <string_view>

namespace bert {

// Returns whether a file of this name, in a model directory or in a module's folder, is loaded; such files are copied
// when a model is written again.
bool is_model_file(std::string_view name);
// Returns whether a file is fetched: also files that only explain, when loading, why the model cannot be used.
bool is_fetched_file(std::string_view name);
bool is_tokenizer_file(std::string_view name);  // whether the file belongs to the vocabulary

}  // namespace bert
