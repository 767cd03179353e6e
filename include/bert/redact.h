// Redacts texts: replaces what must not be passed on, that is, entities that a model finds and matches of the caller's
// regular expressions.
//
//   const bert::Redactor redactor({.expressions = {{"EMAIL", R"([\w.+-]+@[\w-]+(\.[\w-]+)+)"}}});
//   std::string safe = bert::redact(model, "Ada wrote to b@c.org.", redactor).text;  // "<PER> wrote to <EMAIL>."
//
// What a model does not find stays in the text. No error of these functions quotes a text in its message.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/export.h"
#include "bert/labels.h"
#include "bert/task_calls.h"
#include "bert/tasks.h"
#include "bert/tokenizer.h"

namespace bert {

class TaskSettings;

struct RedactExpression {
  std::string label;
  std::string expression;  // in the syntax of Oniguruma, a library that is loaded for the first expression
};
// Parses "LABEL=EXPRESSION". Throws Error(kInvalidArgument) for another form.
BERT_API RedactExpression redact_expression(std::string_view text);

struct RedactRules {
  static constexpr size_t kLeastKeyBytes = 16;

  std::vector<RedactExpression> expressions = {};
  std::vector<std::string> only = {};  // use only a model's entities with these labels; empty: all
  double least_score = 0;              // use only a model's entities with at least this score
  // Replaces each part. {label} becomes the part's label, {hash} the first 32 digits of the HMAC-SHA-256 of the part's
  // bytes with `key`, {{ and }} become braces.
  std::string replacement = "<{label}>";
  std::optional<std::string> mask = {};  // instead of `replacement`: one such character for each character of the part
  std::string key = {};                  // for {hash}, at least kLeastKeyBytes
};

// Callbacks of a redaction. They must not throw.
struct RedactControl {
  // Returns whether the redaction goes on; if not, it throws Error(kCancelled). Called before each expression and after
  // every 65,536 steps of a search, about 200 microseconds.
  std::function<bool()> goes_on = {};
  // Returns whether there is memory for this many parts, and this many bytes of the new text and the parts' labels; if
  // not, the redaction throws Error(kOutOfMemory). Called with growing numbers, before memory is allocated.
  std::function<bool(size_t parts, size_t bytes)> reserve = {};
};

// Replaces parts of texts by RedactRules. Immutable; safe to use from many threads.
class BERT_API Redactor {
 public:
  // Throws Error: kInvalidArgument for a replacement with an unknown name, {hash} without a key, a short key, a mask
  // that is not one character, an empty label, a malformed expression; kUnsupported without Oniguruma.
  explicit Redactor(RedactRules rules);
  ~Redactor();
  Redactor(Redactor&&) noexcept;
  Redactor& operator=(Redactor&&) noexcept;

  // Returns the text with its entities, which a model found, and the expressions' matches replaced. Entities are
  // extended to whole words if their script has spaces. Overlapping parts become one part with the label of the
  // longest; of equally long ones that of the first expression, and that of an expression before a model's. Empty
  // matches are ignored. Throws Error(kInvalidText) for invalid UTF-8, and for a search that needs more than 100
  // million steps and 200 steps per byte of the text; its message names the expression's label.
  RedactedText redact(std::string_view text, std::span<const Entity> entities = {},
                      const RedactControl& control = {}) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// How a model finds the entities to redact: by its own labels, or by those of the request.
struct RedactOptions {
  LabelRequest labels = {};  // for a model that reads labels
  Aggregation aggregation = Aggregation::kFirst;
  TagScheme scheme = TagScheme::kFromLabels;
  std::optional<size_t> stride = {};  // tokens that windows of a long text share; default: redact_stride
};

// Returns 32, or a quarter of the model's longest sequence if that is less.
BERT_API size_t redact_stride(const Model& model);

// Returns a call that finds the entities of a text, or, with a redactor, the RedactedText. A text's result is
// Error(kInvalidText) if a part of the text was not read, because that part may contain entities; no error quotes the
// text. Throws Error(kInvalidArgument) for a model that reads labels without labels in the request, and for labels in
// the request if the model has its own; Error(kNotFound) for a model that finds no entities.
BERT_API TaskCallPtr redact_call(const Model& model, const RedactOptions& options = {},
                                 std::shared_ptr<const Redactor> redactor = nullptr);

// Return the options of the task "redact" (bert/task_settings.h) as options and rules.
BERT_API RedactOptions redact_options(const TaskSettings& settings);
BERT_API RedactRules redact_rules(const TaskSettings& settings);

// Redacts a whole text, read in at most 1,024 windows. Throws Error, also if a part of the text cannot be read.
BERT_API RedactedText redact(const Model& model, std::string_view text, const Redactor& redactor,
                             const RedactOptions& options = {});

// Returns the error of a text without what its message may quote from the text. Errors about arguments
// (kInvalidArgument) are returned unchanged.
BERT_API Error without_text(const Error& error);

}  // namespace bert
