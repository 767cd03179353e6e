// A run of a model over the texts of a Python iterable: a TextPipeline or a TaskRun, with the interpreter's lock
// released. Used by one thread at a time; other threads may be computing for the run until close().
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bert/text_pipeline.h"
#include "bindings/python/module/result.h"
#include "bindings/python/module/run_options.h"
#include "bindings/python/module/source.h"

namespace bert::python {

// Counts over the results so far.
struct RunCounts {
  size_t texts = 0;
  size_t tokens = 0;
  size_t truncated_texts = 0;
  size_t truncated_tokens = 0;
  size_t coarse_texts = 0;  // texts with rows of activations that 8 bits represent badly
  size_t coarse_rows = 0;
};

using Rows = nanobind::ndarray<float, nanobind::ndim<2>, nanobind::c_contig, nanobind::device::cpu>;

class Run {
 public:
  // model: a Python object of the class Model, which the run and its results keep alive.
  Run(nanobind::object model, nanobind::iterator texts, const RunOptions& options);
  ~Run() { close(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Writes the next vectors into the rows of `out`, [rows, embedding size], and returns their number; 0 at the end of
  // the texts. Returns early, with at least one row, after about 50 ms of work, so that Python can handle a signal, or
  // when the next text is not ready. A failed text has a row of NaN, and its error is added to `failures`.
  size_t fill(const Rows& out);

  // Returns the next text's result, with all of its windows; nullopt at the end. Throws the error of a failed text.
  std::optional<Result> next();

  // Ends the run: waits for passes that are being computed, and drops the remaining texts.
  void close();

  const RunCounts& counts() const { return counts_; }
  // Returns the index and the error of each failed text.
  const std::vector<std::pair<size_t, Error>>& failures() const { return failures_; }

 private:
  bool take(TextResult& result);
  std::optional<TaskOutput> take_task(std::vector<TextResult>& windows, std::optional<Error>& error);
  void count(const TextResult& result);

  nanobind::object model_;
  const std::shared_ptr<const TaskCall> call_;  // null: a run without a task call
  PythonSource source_;
  std::unique_ptr<TextPipeline> pipeline_;  // null after close(), and for a task call
  std::unique_ptr<TaskRun> task_;           // null without a task call
  bool query_is_counted_ = false;
  size_t texts_ = 0;  // texts that next() returned
  RunCounts counts_;
  std::vector<std::pair<size_t, Error>> failures_;
  std::optional<size_t> last_coarse_;  // index of the last text with coarse rows
};

}  // namespace bert::python
