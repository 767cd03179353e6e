#include "engine/base/work_control.h"

#include "bert/error.h"

namespace bert {
namespace {

constinit thread_local const std::function<bool()>* asked = nullptr;

}  // namespace

WorkControl::WorkControl(const std::function<bool()>& goes_on) : before_(asked) { asked = &goes_on; }
WorkControl::~WorkControl() { asked = before_; }

void WorkControl::check() {
  if (asked != nullptr && *asked && !(*asked)()) throw Error(ErrorCode::kCancelled, "the computation was cancelled");
}

}  // namespace bert
