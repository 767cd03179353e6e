// Writes a task's output as text for people and as rows of a table; bert/task_json.h writes JSON. Stateless.
#pragma once

#include <string>
#include <vector>

#include "bert/task_calls.h"
#include "program/cli/input/sequences.h"

namespace bert::cli {

// Returns whole lines. text: the input's first sequence.
std::string lines_of(const TaskOutput& output, const Sequence& text);
// Returns whether each of several results has a title in the text for people: for results that are longer than a line.
bool has_titles(const TaskOutput& output);

// Returns, for csv, the cells of each label, entity or word. Entities and words have the cells entity, score, word,
// start, end; words have no places.
std::vector<std::vector<std::string>> rows_of(const TaskOutput& output, const Sequence& text);

}  // namespace bert::cli
