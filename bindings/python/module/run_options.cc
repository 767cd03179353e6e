#include "bindings/python/module/run_options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bert/redact.h"
#include "bindings/python/module/result.h"
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

void RunOptions::set_call(TaskCallPtr made) {
  task = made->computation();
  call = std::move(made);
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
      .def("set_encode",
           [](RunOptions& run, bool hidden_states, bool attentions) {
             EncodeOptions outputs;
             outputs.hidden_states = hidden_states;
             outputs.attentions = attentions;
             run.task = outputs;
           })
      .def(
          "set_head",
          [](RunOptions& run, const std::string& name) {
            run.task = HeadOptions{.head = head_named(name), .prompt = run.vectors().prompt_text.value_or("")};
          },
          "name"_a)
      .def(
          "set_classify",
          [](RunOptions& run, const Model& model, std::optional<std::vector<std::string>> labels, bool multi_label,
             const std::string& window_scores, std::optional<size_t> top_k) {
            std::optional<ClassRequest> request;
            if (labels) request = ClassRequest{std::move(*labels), {}, multi_label};
            run.set_call(classify_call(model, std::move(request),
                                       {.scores = window_scores_named(window_scores), .top_k = top_k}));
          },
          "model"_a, "labels"_a.none(), "multi_label"_a, "window_scores"_a, "top_k"_a.none())
      .def(
          "set_zero_shot",
          [](RunOptions& run, const Model& model, std::vector<std::string> labels, const std::string& text,
             bool multi_label, const std::string& window_scores, std::optional<size_t> top_k) {
            run.set_call(zero_shot_call(model, std::move(labels),
                                        {.hypothesis_template = text,
                                         .multi_label = multi_label,
                                         .windows = {.scores = window_scores_named(window_scores)},

                                         .top_k = top_k}));
          },
          "model"_a, "labels"_a, "hypothesis_template"_a, "multi_label"_a, "window_scores"_a, "top_k"_a.none())
      .def("set_tag",
           [](RunOptions& run, const Model& model, const std::string& aggregation, const std::string& scheme) {
             const Aggregation how = aggregation_named(aggregation);
             run.set_call(tag_call(model, {how, scheme_named(scheme), how}));
           })
      .def("set_labels",
           [](RunOptions& run, const Model& model, std::vector<std::string> labels, std::vector<std::string> names,
              double threshold, bool nested, bool multi_label) {
             run.set_call(
                 tag_call(model, LabelRequest{std::move(labels), std::move(names), threshold, nested, multi_label}));
           })
      .def("set_fill_mask",
           [](RunOptions& run, const Model& model, size_t top_k, const std::vector<std::string>& targets) {
             run.set_call(fill_mask_call(model, top_k, target_ids(model.tokenizer(), targets)));
           })
      .def("set_answer",
           [](RunOptions& run, const Model& model, size_t top_k, size_t max_answer_tokens, bool no_answer,
              bool align_to_words) {
             run.set_call(answer_call(model, {top_k, max_answer_tokens, no_answer, align_to_words}));
           })
      .def(
          "set_rerank",
          [](RunOptions& run, const Model& model, std::string query, const std::optional<std::string>& prompt_text,
             const std::optional<std::string>& relevant_label) {
            const Reranker reranker(model, {.prompt_text = prompt_text}, relevant_label);
            run.set_call(rerank_call(model, reranker, std::move(query)));
          },
          "model"_a, "query"_a, "prompt_text"_a.none(), "relevant_label"_a.none())
      .def(
          "set_redact",
          [](RunOptions& run, const Model& model, std::optional<std::vector<std::string>> labels, double threshold,
             const std::string& aggregation, const std::string& scheme) {
            RedactOptions options{.aggregation = aggregation_named(aggregation), .scheme = scheme_named(scheme)};
            if (labels) options.labels = {.labels = std::move(*labels), .threshold = threshold};
            run.set_call(redact_call(model, options));
          },
          "model"_a, "labels"_a.none(), "threshold"_a, "aggregation"_a, "scheme"_a)
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
      .def_rw("windows", &RunOptions::windows)
      .def_rw("stride", &RunOptions::stride)
      .def_rw("fits_stride", &RunOptions::fits_stride)
      .def_rw("refuses_long_texts", &RunOptions::refuses_long_texts)
      .def_rw("batch_tokens", &RunOptions::batch_tokens);
}

}  // namespace bert::python
