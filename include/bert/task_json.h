// The output of a task as JSON, as the program and the server's own routes print it (docs/OUTPUT.md). Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bert/export.h"
#include "bert/offsets.h"
#include "bert/task_calls.h"

namespace bert {

// Returns the name of the JSON member for an output: "labels", "entities", "words", "masks", "answers", "is_next",
// "score" or "redacted".
BERT_API std::string_view member_name(const TaskOutput& output);

// Returns an output as a JSON value: a number, or a list of objects {label, score}, {entity, score, word, start, end},
// {word, label, score} or {answer, score, start, end}; for masks a list of lists of {token, id, score, sequence}; for a
// redacted text {text, replaced}, where replaced is a list of {label, start, end}. A word that was truncated has null
// for label and score. unit: places are in this unit; nullopt: in UTF-8 bytes, and also in code points
// ("code_point_start", "code_point_end"). input: the first sequence of the input.
BERT_API std::string to_json(const TaskOutput& output, const TaskSequence& input, std::optional<OffsetUnit> unit = {});

}  // namespace bert
