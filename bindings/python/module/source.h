// Reads the texts of a Python iterable for a TextPipeline.
//
// Only the thread that calls the pipeline reads the iterable. It reads a little ahead, and the other threads take texts
// that were read. So a generator runs in its caller's thread, and no other thread waits for the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <deque>
#include <exception>
#include <thread>

#include "bert/text_pipeline.h"

namespace bert::python {

class PythonSource : public TextSource {
 public:
  // The items of `texts` are str, or tuples of two: a text and its pair; a text and the list of its chunks' spans; or
  // None and the list of a text's words.
  PythonSource(nanobind::iterator texts, size_t threads);

  // Sets the thread that calls the pipeline from now on.
  void set_caller(std::thread::id caller) { caller_ = caller; }

  // Throws a TypeError, which names the index, for an item that is not a text.
  State next(TextItem& item, Wait wait) override;

  // Set if the iterable raised something that is not an Exception, such as KeyboardInterrupt. Then the run must end at
  // once, before the results of the previous texts.
  const std::exception_ptr& interruption() const { return interruption_; }

 private:
  void read();
  void read_one();

  nanobind::iterator texts_;
  const size_t items_ahead_;
  const size_t bytes_ahead_;
  std::thread::id caller_;
  std::deque<TextItem> read_;
  size_t read_bytes_ = 0;  // size of the texts in read_
  size_t count_ = 0;       // items read so far
  bool is_slow_ = false;   // the last read() found a slow iterable, so results must not wait for the next texts
  bool has_ended_ = false;
  std::exception_ptr failure_;  // raised by the iterable; thrown after the items that came before
  std::exception_ptr interruption_;
};

}  // namespace bert::python
