#include "bindings/python/module/source.h"

#include <utility>

#include "bindings/python/module/interpreter_lock.h"

namespace bert::python {
namespace nb = nanobind;
namespace {

constexpr size_t kItemsAhead = 1024;        // per thread: a few batches of short texts
constexpr size_t kBytesAhead = 256 * 1024;  // per thread: a few batches of long texts
constexpr std::chrono::milliseconds kReading{2};
constexpr size_t kFewItems = 8;  // an iterable that gives fewer items in kReading is slow

size_t bytes(const TextItem& item) {
  size_t sum = item.text.size() + (item.pair ? item.pair->size() : 0);
  if (item.words) {
    for (const std::string& word : *item.words) sum += sizeof(std::string) + word.size();
  }
  return sum;
}

// Throws Error for a str that is not valid Unicode text (a lone surrogate).
std::string utf8(nb::handle text) {
  const nb::object encoded = nb::steal(PyUnicode_AsUTF8String(text.ptr()));
  if (!encoded.is_valid()) {
    const nb::python_error error;
    throw Error(ErrorCode::kInvalidText,
                std::string("the text cannot be written as UTF-8: ") + nb::str(error.value()).c_str());
  }
  return {PyBytes_AsString(encoded.ptr()), static_cast<size_t>(PyBytes_Size(encoded.ptr()))};
}

[[noreturn]] void refuse(nb::handle item, size_t index) {
  throw nb::type_error(("texts[" + std::to_string(index) + "]: found " + nb::inst_name(item).c_str() +
                        ", expected a str or a tuple of two")
                           .c_str());
}

// Makes an item from a tuple: a str, and a list of its chunks as pairs of byte offsets.
TextItem to_divided_item(nb::handle object) {
  TextItem item;
  for (const nb::handle span : object[1]) {
    item.spans.push_back({nb::cast<size_t>(span[0]), nb::cast<size_t>(span[1])});
  }
  try {
    item.text = utf8(nb::object(object[0]));
  } catch (const Error& error) {
    item.error = error;
  }
  return item;
}

// Makes an item from a tuple: None and a list of str.
TextItem to_words_item(nb::handle object) {
  TextItem item;
  item.words.emplace();
  try {
    for (const nb::handle word : object[1]) item.words->push_back(utf8(word));
  } catch (const Error& error) {
    item.error = error;
  }
  return item;
}

TextItem to_item(nb::handle object, size_t index) {
  TextItem item;
  const bool is_pair = nb::isinstance<nb::tuple>(object) || nb::isinstance<nb::list>(object);
  const bool has_list = is_pair && nb::len(object) == 2 && nb::isinstance<nb::list>(object[1]);
  if (has_list && nb::isinstance<nb::str>(object[0])) return to_divided_item(object);
  if (has_list && nb::object(object[0]).is_none()) return to_words_item(object);
  if (is_pair ? nb::len(object) != 2 || !nb::isinstance<nb::str>(object[0]) || !nb::isinstance<nb::str>(object[1])
              : !nb::isinstance<nb::str>(object)) {
    refuse(object, index);
  }
  try {
    item.text = utf8(is_pair ? nb::object(object[0]) : nb::borrow(object));
    if (is_pair) item.pair = utf8(object[1]);
  } catch (const Error& error) {
    item.error = error;
  }
  return item;
}

}  // namespace

PythonSource::PythonSource(nb::iterator texts, size_t threads)
    : texts_(std::move(texts)), items_ahead_(kItemsAhead * threads), bytes_ahead_(kBytesAhead * threads) {}

TextSource::State PythonSource::next(TextItem& item, Wait wait) {
  const bool is_low = read_.size() < items_ahead_ / 2 && read_bytes_ < bytes_ahead_ / 2;
  const bool may_read = !has_ended_ && std::this_thread::get_id() == caller_;
  if (may_read && is_low && (!is_slow_ || (read_.empty() && wait == kForever))) read();
  if (read_.empty()) {
    if (failure_) std::rethrow_exception(failure_);
    return has_ended_ ? State::kEnd : State::kNotYet;
  }
  item = std::move(read_.front());
  read_.pop_front();
  read_bytes_ -= bytes(item);
  return State::kItem;
}

void PythonSource::read() {
  const Locked lock;
  const auto end = std::chrono::steady_clock::now() + kReading;
  const size_t before = count_;
  try {
    bool is_late = false;
    while (!has_ended_ && !is_late && read_.size() < items_ahead_ && read_bytes_ < bytes_ahead_) {
      read_one();
      is_late = std::chrono::steady_clock::now() >= end;
    }
    is_slow_ = is_late && count_ - before < kFewItems;
  } catch (const nb::python_error& error) {
    has_ended_ = true;
    failure_ = std::current_exception();
    if (!error.matches(PyExc_Exception)) {
      interruption_ = failure_;
      read_.clear();
    }
  } catch (...) {
    has_ended_ = true;
    failure_ = std::current_exception();
  }
}

void PythonSource::read_one() {
  const nb::object object = nb::steal(PyIter_Next(texts_.ptr()));
  if (!object.is_valid()) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    has_ended_ = true;
    return;
  }
  read_.push_back(to_item(object, count_++));
  read_bytes_ += bytes(read_.back());
}

}  // namespace bert::python
