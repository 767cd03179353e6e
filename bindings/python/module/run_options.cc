#include "bindings/python/module/run_options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python/module/words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
namespace {

PoolingMode pooling_mode(const std::string& name) {
  std::map<std::string, PoolingMode> modes;
  for (const PoolingMode mode : kPoolingModes) modes.emplace(bert::name(mode), mode);
  return chosen<PoolingMode>(modes, name, "pooling");
}

Head head_named(const std::string& name) {
  static const std::map<std::string, Head> heads = {
      {"masked_lm", Head::kMaskedLm},
      {"sequence_classification", Head::kSequenceClassification},
      {"token_classification", Head::kTokenClassification},
  };
  return chosen(heads, name, "head");
}

}  // namespace

TaskSettings to_settings(const std::string& task, const nb::dict& options) {
  TaskSettings settings(task);
  for (const auto& [key, value] : options) {
    const auto name = nb::cast<std::string>(key);
    OptionValue converted;
    switch (option_named(settings.task(), name).type) {
      case OptionType::kFlag:
        converted = nb::cast<bool>(value);
        break;
      case OptionType::kSize:
        converted = nb::cast<size_t>(value);
        break;
      case OptionType::kNumber:
        converted = nb::cast<double>(value);
        break;
      case OptionType::kTexts:
        converted = nb::cast<std::vector<std::string>>(value);
        break;
      default:
        if (nb::isinstance<nb::bytes>(value)) {
          const auto bytes = nb::cast<nb::bytes>(value);
          converted = std::string(bytes.c_str(), bytes.size());
        } else {
          converted = nb::cast<std::string>(value);
        }
    }
    settings.set(name, std::move(converted));
  }
  return settings;
}

VectorRequest& RunOptions::vectors() {
  if (auto* request = std::get_if<VectorRequest>(&task)) return *request;
  throw Error(ErrorCode::kInvalidArgument, "the task makes no vectors, expected one that does");
}

EmbedOptions& RunOptions::dense() {
  std::optional<EmbedOptions>& dense = vectors().dense;
  return dense ? *dense : dense.emplace();
}

void bind_run_options(nb::module_& module) {
  nb::class_<RunOptions>(module, "RunOptions")
      .def(nb::init<>())
      .def("set_kinds",
           [](RunOptions& run, bool dense, bool sparse, bool tokens) {
             VectorRequest& request = run.vectors();
             request.dense = dense ? std::optional(request.dense.value_or(EmbedOptions{})) : std::nullopt;
             request.sparse = sparse ? std::optional(request.sparse.value_or(SparseOptions{})) : std::nullopt;
             request.tokens = tokens;
           })
      .def("set_chunks", [](RunOptions& run, size_t tokens,
                            bool sentences) { run.vectors().chunks = {.tokens = tokens, .sentences = sentences}; })
      .def("set_tokenize", [](RunOptions& run) { run.task = std::monostate{}; })
      .def(
          "set_encode",
          [](RunOptions& run, bool hidden_states, bool attentions, bool contacts) {
            run.task = EncodeOptions{.hidden_states = hidden_states, .attentions = attentions, .contacts = contacts};
          },
          "hidden_states"_a = false, "attentions"_a = false, "contacts"_a = false)
      .def(
          "set_head",
          [](RunOptions& run, const std::string& name) {
            run.task = HeadOptions{.head = head_named(name), .prompt = run.vectors().prompt_text.value_or("")};
          },
          "name"_a)
      .def(
          "set_task",
          [](RunOptions& run, const Model& model, const std::string& task, const nb::dict& options) {
            const TaskSettings settings = to_settings(task, options);
            run.call = make_call(model, settings);
            run.task = run.call->computation();
            run.reading = text_options(model, *run.call, settings);
          },
          "model"_a, "task"_a, "options"_a)
      .def("set_pooling", [](RunOptions& run, const std::string& mode) { run.dense().pooling = pooling_mode(mode); })
      .def("set_role", [](RunOptions& run, const std::string& role) { run.vectors().role = role_named(role); })
      .def(
          "set_max_active",
          [](RunOptions& run, std::optional<size_t> most) { run.vectors().sparse = SparseOptions{.max_active = most}; })
      .def_prop_rw(
          "prompt_text", [](RunOptions& run) { return run.vectors().prompt_text; },
          [](RunOptions& run, const std::optional<std::string>& value) { run.vectors().prompt_text = value; })
      .def_prop_rw(
          "normalize", [](RunOptions& run) { return run.dense().normalize; },
          [](RunOptions& run, std::optional<bool> value) { run.dense().normalize = value; })
      .def_prop_rw(
          "dimensions", [](RunOptions& run) { return run.dense().dimensions; },
          [](RunOptions& run, std::optional<size_t> value) { run.dense().dimensions = value; })
      .def_rw("max_length", &RunOptions::max_length)
      .def_rw("batch_tokens", &RunOptions::batch_tokens);
}

}  // namespace bert::python
