// What a task found in a text, for people and as rows of a table; as JSON: bert/task_json.h. Stateless.
#pragma once

#include <string>
#include <vector>

#include "bert/task_calls.h"
#include "program/cli/input/sequences.h"

namespace bert::cli {

// Whole lines. text: its first sequence.
std::string lines_of(const TaskOutput& output, const Sequence& text);
// Whether each of several results has a title in the text for people, as results longer than a line do.
bool has_titles(const TaskOutput& output);

// For csv: the cells of each label, entity or word. An entity and a word have entity, score, word, start, end; a word
// has no places.
std::vector<std::vector<std::string>> rows_of(const TaskOutput& output, const Sequence& text);

}  // namespace bert::cli
