// The checked labels of a request, and their vectors if they have their own encoder.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bert/labels.h"
#include "bert/tokenizer.h"
#include "engine/tensor/matrix.h"

namespace bert {

// The vectors of labels by their own encoder, computed when a pass first needs them. Safe to use from many threads.
class LabelVectors {
 public:
  // Returns the result of the first call of `make` that did not throw.   [labels, the encoder's width]
  template <class Make>
  ConstMatrixView get(const Make& make) const {
    std::call_once(once_, [&] { vectors_ = make(); });
    return std::as_const(vectors_).view();
  }

 private:
  mutable std::once_flag once_;
  mutable Matrix vectors_;
};

// Checked labels, for all texts of a request.
struct PreparedLabels {
  LabelTask task = LabelTask::kEntities;
  LabelRequest request = {};  // for kClasses: its labels, names and multi_label
  std::unique_ptr<const LabelVectors> vectors = std::make_unique<const LabelVectors>();
};

// An entity with its label's index in the request, not its name: a text may have a million entities, and a name may
// have thousands of bytes.
struct FoundEntity {
  size_t label = 0;
  Offset place = {};  // in the text
  double score = 0;
};

struct FoundClass {
  size_t label = 0;
  double score = 0;
};

// The result for a text: entities or classes, depending on the task.
struct LabelResult {
  std::vector<FoundEntity> entities = {};  // in the text's order
  std::vector<FoundClass> classes = {};    // best first
};

// Receives the results of the texts of a pass, in order. May be called again for a text after an Error.
using LabelResultSink = std::function<void(size_t text, const LabelResult& result)>;

}  // namespace bert
