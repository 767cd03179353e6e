// What the text pipeline computes for a task: its batches, its checks and its outputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bert/text_pipeline.h"

namespace bert {

// Tokens of a batch if the caller does not say.
size_t default_batch_tokens(const TextTask& task, size_t threads);

// The prompt that the task puts before each text. Throws the error that prevents the task for every text.
std::string check_task(const Model& model, const TextTask& task);

// The role of a late-interaction model's texts; nullopt for another task.
std::optional<TextRole> role_of(const TextTask& task);

// Computes one pass and stores the output of batch[i] in *results[i].
void run_task(const Model& model, const TextTask& task, std::span<const TokenSequence> batch,
              std::span<TextResult* const> results);

}  // namespace bert
