// Redacts texts: removes the names that a tagger, or a model that reads labels, finds, and matches of the operator's
// expressions. No answer, error or log line quotes a replaced part, or a text that cannot be read.
#include <algorithm>
#include <utility>

#include "bert/redact.h"
#include "program/server/queue/answer_bytes.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/label_body.h"
#include "program/server/routes/windows.h"

namespace bert::server {
namespace {

constexpr size_t kMaxReplacementBytes = 64;
// Bytes per replaced part, besides texts: while parts are searched, and in the answer.
constexpr size_t kPartBytes = sizeof(Redaction) + 400;

RedactRules rules_of(const Call& call, const TaskSettings& settings) {
  RedactRules rules = redact_rules(settings);
  rules.expressions = call.options().redact_expressions;
  rules.key = call.options().redact_key;
  if (rules.mask && settings.has("replace")) {
    throw ApiError(Fault::kInvalid, "'mask' beside 'replace', expected one of them", "mask");
  }
  if (rules.replacement.size() > kMaxReplacementBytes) {
    throw ApiError(Fault::kInvalid,
                   "'replace' has " + std::to_string(rules.replacement.size()) + " bytes, expected at most " +
                       std::to_string(kMaxReplacementBytes),
                   "replace");
  }
  return rules;
}

// The budget of the searches of all texts of a request: four times what one text may take (bert/redact.h), so that a
// few slow texts do not keep the others from being searched.
class SearchBudget {
 public:
  explicit SearchBudget(const Job& job, size_t expressions) {
    size_t bytes = 0;
    for (const TextItem& text : job.texts) bytes += text.text.size();
    left_ = expressions * (job.texts.size() + (kSteps + kStepsPerByte * bytes) / kStepsPerQuestion);
  }
  // Implements RedactControl::goes_on.
  bool goes_on() { return left_ > 0 && left_-- > 0; }
  bool is_spent() const { return left_ == 0; }

 private:
  static constexpr size_t kSteps = 400'000'000, kStepsPerByte = 200, kStepsPerQuestion = 1 << 16;
  size_t left_ = 0;
};

// Returns a text with its parts replaced. Throws ApiError if there is no memory for the answer.
RedactedText redacted_text(const Job& job, size_t text, const Redactor& redactor, SearchBudget& budget) {
  MemoryShare& share = job.share->share;
  const size_t before = share.bytes();
  size_t needed = 0;
  const RedactControl control = {
      .goes_on = [&] { return !job.is_cancelled() && budget.goes_on(); },
      .reserve =
          [&](size_t parts, size_t bytes) {
            needed = kPartBytes * parts + kTextBytes * bytes;
            return share.grow_to(before + needed);
          },
  };
  try {
    return redactor.redact(job.texts[text].text, std::get<std::vector<Entity>>(output_of(job, text)), control);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kOutOfMemory) refuse_share(job, before + needed);
    if (error.code() != ErrorCode::kCancelled || !budget.is_spent()) throw;
    throw Error(ErrorCode::kInvalidText, "the search for expressions takes too long in the texts of the request");
  }
}

void add_redacted(JsonWriter& object, const RedactedText& redacted) {
  object.string("text", redacted.text);
  append_list(object.member("replaced"), redacted.replaced, [](std::string& out, const Redaction& part) {
    JsonWriter one;
    one.string("label", part.label);
    one.number("start", uint64_t{part.place.begin});
    one.number("end", uint64_t{part.place.end});
    one.number("code_point_start", uint64_t{part.code_points.begin});
    one.number("code_point_end", uint64_t{part.code_points.end});
    out += one.take();
  });
}

}  // namespace

HandlerResult redact(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kTagger);
  std::vector<TextItem> texts = only_texts(call);
  const TaskSettings settings = label_settings(call, *model, LabelTask::kEntities, texts);
  RedactRules rules = rules_of(call, settings);
  const size_t expressions = rules.expressions.size();
  auto redactor = std::make_shared<const Redactor>(std::move(rules));
  LongTexts long_texts = long_texts_of(call.body, settings, LongText::kWindows);
  if (long_texts.kind == LongText::kCut) {
    throw ApiError(Fault::kInvalid, "'truncate' is true, expected false: nothing of a text is cut off", "truncate");
  }
  long_texts.merges_short = true;
  if (long_texts.kind == LongText::kError) {
    long_texts.kind = LongText::kWindows;
    long_texts.most_windows = 1;
  }
  TaskCallPtr task = redact_call(model->model, redact_options(settings));
  auto job = task_job(call, std::move(model), std::move(task), std::move(texts), "input", long_texts);
  job->finishes_late = expressions > 0;
  return Computing{std::move(job),
                   [redactor, expressions](const Job& done) {
                     SearchBudget budget(done, expressions);
                     return list_of_texts(done, "redaction", [&](JsonWriter& object, size_t i) {
                       try {
                         add_redacted(object, redacted_text(done, i, *redactor, budget));
                       } catch (const Error& error) {  // an error of a redaction, which does not quote the text
                         object.string("error", error.what());
                       }
                     });
                   },
                   true};
}

}  // namespace bert::server
