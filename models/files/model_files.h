// The files that a model's directory may have beside its weights, by model_files.txt. Stateless.
#pragma once

#include <string_view>

namespace bert {

// Whether a file of this name, in a model directory or in the folder of a module, is loaded, and copied where a model
// is written again.
bool is_model_file(std::string_view name);
// The same, and for what is fetched only so that loading says why the model cannot be used.
bool is_fetched_file(std::string_view name);
bool is_tokenizer_file(std::string_view name);  // of these, what goes with the vocabulary

}  // namespace bert
