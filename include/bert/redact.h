// Texts without the parts that must not be passed on: entities that a model finds and matches of the caller's regular
// expressions are replaced.
//
//   const bert::Redactor redactor({.expressions = {{"EMAIL", R"([\w.+-]+@[\w-]+(\.[\w-]+)+)"}}});
//   std::string safe = bert::redact(model, "Ada wrote to b@c.org.", redactor).text;  // "<PER> wrote to <EMAIL>."
//
// What a model does not find stays in the text. No error of these functions has a part of a text in its message.
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
  std::string expression;  // in Oniguruma's syntax, which is loaded for the first one
};
// Of "LABEL=EXPRESSION". Throws Error(kInvalidArgument) for another text.
BERT_API RedactExpression redact_expression(std::string_view text);

struct RedactRules {
  static constexpr size_t kLeastKeyBytes = 16;

  std::vector<RedactExpression> expressions = {};
  std::vector<std::string> only = {};  // a model's entities with these labels alone; empty: all
  double least_score = 0;              // a model's entities with at least this score
  // What takes the place of a part: {label} is its label, {hash} the first 32 digits of the HMAC-SHA-256 of its bytes
  // by `key`, {{ and }} are braces.
  std::string replacement = "<{label}>";
  std::optional<std::string> mask = {};  // in place of `replacement`: this character for each character of the part
  std::string key = {};                  // of at least kLeastKeyBytes; for {hash}
};

// What a redaction asks its caller. The functions throw nothing.
struct RedactControl {
  // Whether it goes on; asked before each expression and after every 65,536 steps of a search, some 200 microseconds.
  // If not: Error(kCancelled).
  std::function<bool()> goes_on = {};
  // Whether there is memory for so many parts, with so many bytes of the new text and of the parts' labels; asked with
  // growing numbers, before they are made. If not: Error(kOutOfMemory).
  std::function<bool(size_t parts, size_t bytes)> reserve = {};
};

// Immutable; safe to use from many threads.
class BERT_API Redactor {
 public:
  // Throws Error: kInvalidArgument for a replacement with an unknown name, {hash} without a key, a short key, a mask
  // that is not one character, an empty label, a malformed expression; kUnsupported without Oniguruma.
  explicit Redactor(RedactRules rules);
  ~Redactor();
  Redactor(Redactor&&) noexcept;
  Redactor& operator=(Redactor&&) noexcept;

  // The text without the entities, which a model found in it, and without the expressions' matches. Entities become
  // whole words where their script has spaces. Parts that overlap are one part with the label of the longest; of equal
  // ones the first expression's, and an expression's before a model's. Empty ones are no parts. Throws Error
  // (kInvalidText) for invalid UTF-8, and for a search that needs more than 100 million steps and 200 for each byte of
  // the text; its message names the expression's label.
  RedactedText redact(std::string_view text, std::span<const Entity> entities = {},
                      const RedactControl& control = {}) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

// How a model finds entities: by its own labels, or by those of the request.
struct RedactOptions {
  LabelRequest labels = {};  // of a model that reads labels
  Aggregation aggregation = Aggregation::kFirst;
  TagScheme scheme = TagScheme::kFromLabels;
  std::optional<size_t> stride = {};  // that windows of a long text share; default: redact_stride
};

// 32, or a quarter of the model's sequences if that is less.
BERT_API size_t redact_stride(const Model& model);

// The entities of a text, whose windows share redact_stride() tokens by default. Its result is Error(kInvalidText) if a
// part of the text was not read, as it must not be passed on then; no error has anything of the text. Throws
// Error(kInvalidArgument) for a model that reads labels without any, and for labels where the model has its own;
// kNotFound for a model that finds no entities. With a redactor the result is the RedactedText.
BERT_API TaskCallPtr redact_call(const Model& model, const RedactOptions& options = {},
                                 std::shared_ptr<const Redactor> redactor = nullptr);

// Of the options of the task "redact" (bert/task_settings.h).
BERT_API RedactOptions redact_options(const TaskSettings& settings);
BERT_API RedactRules redact_rules(const TaskSettings& settings);

// A whole text, in at most 1,024 windows. Throws Error, also for a text of which a part cannot be read.
BERT_API RedactedText redact(const Model& model, std::string_view text, const Redactor& redactor,
                             const RedactOptions& options = {});

// The error of a text without what its message may quote of it. An argument's error (kInvalidArgument) stays as it is.
BERT_API Error without_text(const Error& error);

}  // namespace bert
