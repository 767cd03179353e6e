#include <algorithm>
#include <utility>

#include "bert/task_calls.h"

namespace bert {

struct TaskRun::Impl {
  // A source of the query, if there is one, then of the items of each input.
  class ItemsOfInputs : public TextSource {
   public:
    ItemsOfInputs(TextSource& inputs, const TaskCall& call) : inputs_(inputs), call_(call) {
      if (const TextItem* query = call.query()) items_.push_back(*query);
    }

    State next(TextItem& item, Wait wait) override {
      if (items_.empty()) {
        TextItem input;
        const State state = inputs_.next(input, wait);
        if (state != State::kItem) return state;
        items_ = call_.items(std::move(input));
        std::reverse(items_.begin(), items_.end());
      }
      item = std::move(items_.back());
      items_.pop_back();
      return State::kItem;
    }

   private:
    TextSource& inputs_;
    const TaskCall& call_;
    std::vector<TextItem> items_;  // the next items, in reverse order
  };

  Impl(const Model& model, const TaskCall& task, TextSource& inputs, const TextOptions& options)
      : call(task), items(inputs, task), pipeline(model, task.computation(), items, options) {}

  size_t queries() const { return has_query ? 1 : 0; }

  const TaskCall& call;
  ItemsOfInputs items;
  TextPipeline pipeline;
  bool has_query = false;        // the query was read
  std::vector<TextResult> read;  // results of the query and of the input's items
};

TaskRun::TaskRun(const Model& model, const TaskCall& call, TextSource& inputs, const TextOptions& options)
    : impl_(std::make_unique<Impl>(model, call, inputs, options)) {}
TaskRun::~TaskRun() = default;

bool TaskRun::next() {
  std::vector<TextResult>& read = impl_->read;
  const bool needs_query = !impl_->has_query && impl_->call.query() != nullptr;
  read.resize(impl_->queries());
  size_t missing = impl_->call.item_count() + (needs_query ? 1 : 0);
  for (TextResult result; missing > 0 && impl_->pipeline.next(result);) {
    if (result.input.is_last) --missing;
    read.push_back(std::move(result));
    if (impl_->has_query || !needs_query) continue;
    if (read.front().error) throw impl_->call.error(*read.front().error);
    impl_->has_query = true;
  }
  return read.size() > impl_->queries();
}

bool TaskRun::ready() const { return impl_->pipeline.ready(); }

std::span<TextResult> TaskRun::sequences() const { return std::span(impl_->read).subspan(impl_->queries()); }

const TextResult* TaskRun::query() const { return impl_->has_query ? impl_->read.data() : nullptr; }

std::optional<Error> TaskRun::error() const {
  for (const TextResult& one : sequences()) {
    if (one.error) return impl_->call.error(*one.error);
  }
  return std::nullopt;
}

size_t TaskRun::truncated_tokens() const {
  size_t most = 0, of_item = 0;
  for (const TextResult& one : sequences()) {
    of_item += one.tokens.encoding.truncated_tokens;
    most = std::max(most, of_item);
    if (one.input.is_last) of_item = 0;
  }
  return most;
}

TaskOutput TaskRun::result() const {
  return impl_->call.result(std::vector<TaskSequence>(impl_->read.begin(), impl_->read.end()));
}

}  // namespace bert
