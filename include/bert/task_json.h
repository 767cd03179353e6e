// What a task found as JSON, as the program and the server's own routes print it (docs/OUTPUT.md). Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bert/export.h"
#include "bert/offsets.h"
#include "bert/task_calls.h"

namespace bert {

// The member that it is: "labels", "entities", "words", "masks", "answers", "is_next", "score" or "redacted".
BERT_API std::string_view member_name(const TaskOutput& output);

// Its value: a number, or a list of objects: {label, score}, {entity, score, word, start, end}, {word, label, score},
// {answer, score, start, end}; of masks a list of lists of {token, id, score, sequence}; of a redacted text {text,
// replaced}, a list of {label, start, end}. A word that was cut off has null for label and score. Places are in UTF-8
// bytes, and in code points beside them ("code_point_start", "code_point_end"), or in this unit alone. input: the first
// sequence of the input.
BERT_API std::string to_json(const TaskOutput& output, const TaskSequence& input, std::optional<OffsetUnit> unit = {});

}  // namespace bert
