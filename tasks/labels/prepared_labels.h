// Labels of a request that were checked, and their vectors where they have an encoder of their own.
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

// The vectors of labels by an encoder of their own, made when a first pass needs them. Safe to use from many threads.
class LabelVectors {
 public:
  // make: as it was at the first call that did not throw.   [labels, the encoder's width]
  template <class Make>
  ConstMatrixView get(const Make& make) const {
    std::call_once(once_, [&] { vectors_ = make(); });
    return std::as_const(vectors_).view();
  }

 private:
  mutable std::once_flag once_;
  mutable Matrix vectors_;
};

// Labels that were checked, for all texts of a request.
struct PreparedLabels {
  LabelTask task = LabelTask::kEntities;
  LabelRequest request = {};  // of kClasses: its labels, names and multi_label
  std::unique_ptr<const LabelVectors> vectors = std::make_unique<const LabelVectors>();
};

// A label of the request by its index: a text can have a million of them, and a name thousands of bytes.
struct FoundEntity {
  size_t label = 0;
  Offset place = {};  // in the text
  double score = 0;
};

struct FoundClass {
  size_t label = 0;
  double score = 0;
};

// What a text has of the labels: by the task, the one or the other.
struct LabelResult {
  std::vector<FoundEntity> entities = {};  // in the text's order
  std::vector<FoundClass> classes = {};    // best first
};

// Takes the result of a text of a pass, one after the other. May be called again for a text, after an Error.
using LabelResultSink = std::function<void(size_t text, const LabelResult& result)>;

}  // namespace bert
