#include "bindings/node/src/promise.h"

#include <memory>
#include <utility>

namespace bert_node {

namespace {

// The work of one promise. `compute` runs in a thread of the pool. `result` makes the value in the main thread.
struct Job {
  std::function<void()> compute;
  std::function<napi_value(napi_env)> result;
  bert_status status = BERT_OK;
  std::string message;
  napi_async_work work = nullptr;
  napi_deferred deferred = nullptr;
};

void compute_job(napi_env, void* data) {
  Job& job = *static_cast<Job*>(data);
  try {
    job.compute();
  } catch (const Failure& failure) {
    job.status = failure.status;
    job.message = failure.what();
  } catch (const std::exception& error) {
    job.status = BERT_OUT_OF_MEMORY;
    job.message = error.what();
  }
}

void finish_job(napi_env env, napi_status status, void* data) {
  const std::unique_ptr<Job> job(static_cast<Job*>(data));
  guarded(env, [&]() -> napi_value {
    const napi_deferred deferred = job->deferred;
    napi_delete_async_work(env, job->work);
    if (status == napi_cancelled) return nullptr;  // the environment is ending
    if (job->status == BERT_OK) {
      try {
        check(napi_resolve_deferred(env, deferred, job->result(env)));
        return nullptr;
      } catch (const std::exception&) {
        napi_value ignored;
        napi_get_and_clear_last_exception(env, &ignored);
        job->status = BERT_OUT_OF_MEMORY;
        job->message = "no memory for the result";
      }
    }
    check(napi_reject_deferred(env, deferred, js_error(env, job->status, job->message)));
    return nullptr;
  });
}

}  // namespace

napi_value start(napi_env env, std::function<void()> compute, std::function<napi_value(napi_env)> result) {
  auto job = std::make_unique<Job>();
  job->compute = std::move(compute);
  job->result = std::move(result);
  napi_value promise, name = js_text(env, "bert-infer", NAPI_AUTO_LENGTH);
  check(napi_create_async_work(env, nullptr, name, compute_job, finish_job, job.get(), &job->work));
  check(napi_create_promise(env, &job->deferred, &promise));
  check(napi_queue_async_work(env, job->work));
  job.release();
  return promise;
}

}  // namespace bert_node
