#include "bindings/sqlite/src/tasks.h"

#include "bindings/sqlite/src/values.h"

namespace bert_sqlite {
namespace {

// A bert_progress; ends the call if the running statement is interrupted.
int goes_on(void* registry, size_t, size_t) { return static_cast<const Registry*>(registry)->is_interrupted() ? 0 : 1; }

}  // namespace

Results run_task(const Registry& registry, const bert_model* model, const char* name, const std::string& text,
                 const std::function<void(bert_task*)>& set_options) {
  bert_task* made = nullptr;
  check(bert_task_new(model, name, &made));
  const std::unique_ptr<bert_task, decltype(&bert_task_free)> task(made, bert_task_free);
  set_options(made);
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.offset_unit = BERT_CODE_POINTS;
  options.progress = goes_on;
  options.progress_context = const_cast<Registry*>(&registry);
  const bert_input input = {view(text), {nullptr, 0}, nullptr, 0};
  bert_results* results = nullptr;
  const bert_status status = bert_task_run(made, &input, 1, &options, &results);
  Results owned(results, bert_results_free);
  check(status);
  return owned;
}

}  // namespace bert_sqlite
