// The extension module bert_infer._engine, which gives Python the library's classes. The functions that a user calls
// are written in Python over this module (bindings/python/bert_infer/model.py).
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bert/experiments.h"
#include "bert/model.h"
#include "bert/offsets.h"
#include "bert/task_settings.h"
#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/bindings.h"
#include "bindings/python/module/experiment.h"
#include "bindings/python/module/interpreter_lock.h"
#include "bindings/python/module/result.h"
#include "bindings/python/module/run.h"
#include "bindings/python/module/run_options.h"
#include "bindings/python/module/words.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
namespace {

// Returns the Python class for an error code: a class of bert_infer.errors, or MemoryError.
nb::object exception_class(ErrorCode code) {
  if (code == ErrorCode::kOutOfMemory) return nb::borrow(PyExc_MemoryError);
  static constexpr std::array names = {"InvalidArgumentError", "InvalidFileError", "NotFoundError", "UnsupportedError",
                                       "InvalidTextError",     "NonFiniteError",   "IoError"};
  return nb::module_::import_("bert_infer.errors").attr(names.at(static_cast<size_t>(code)));
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    PyErr_SetString(exception_class(error.code()).ptr(), error.what());
  }
}

// Settings for loading a model: the library's options and the hub's cache.
struct LoadSettings : LoadOptions {
  std::string cache = {};  // empty: the cache of huggingface_hub

  void set_without_positions(bool without) {
    positions = without ? PositionChoice{Positions::kNone, PositionsAt::kInput} : PositionChoice{};
  }
  void set_precision(const std::string& name) {
    precision = chosen<Precision>({{"stored", Precision::kStored},
                                   {"float32", Precision::kFloat32},
                                   {"bfloat16", Precision::kBFloat16},
                                   {"int8", Precision::kInt8}},
                                  name, "precision");
  }
  void set_packing(const std::string& name) {
    packing =
        chosen<Packing>({{"automatic", Packing::kAutomatic}, {"never", Packing::kNever}, {"always", Packing::kAlways}},
                        name, "packing");
  }
  void set_static_file(const std::string& name) {
    static_file =
        chosen<StaticFile>({{"config", StaticFile::kConfig}, {"modules", StaticFile::kModules}}, name, "static_file");
  }
};

// name: a directory or a name on the hub; None: the built-in model.
Model load(const std::optional<std::string>& name, const LoadSettings& settings) {
  const Unlocked unlock;
  if (!name) return Model::builtin(settings);
  const std::string directory =
      settings.cache.empty() ? *name : find_model(*name, settings.revision, settings.cache).string();
  return Model::load(directory, settings);
}

// Returns the vectors of sequences of ids, [sequences, size]; no special tokens are added.
Array<float> embed_ids(const Model& model, const std::vector<std::vector<int32_t>>& sequences) {
  std::vector<TokenSequence> batch;
  for (const std::vector<int32_t>& ids : sequences) batch.push_back({.ids = ids});
  std::vector<float> vectors;
  {
    const Unlocked unlock;
    vectors = model.embed(batch);
  }
  return to_array(std::move(vectors), {batch.size(), model.embedding_size()});
}

// Returns the last hidden states of sequences of ids, [tokens, hidden] each; no special tokens are added.
nb::list hidden_of_ids(const Model& model, const std::vector<std::vector<int32_t>>& sequences) {
  std::vector<TokenSequence> batch;
  for (const std::vector<int32_t>& ids : sequences) batch.push_back({.ids = ids});
  std::vector<EncodedSequence> encoded;
  {
    const Unlocked unlock;
    encoded = model.encode(batch);
  }
  nb::list rows;
  for (EncodedSequence& one : encoded) {
    rows.append(to_array(std::move(one.last_hidden_state), {one.tokens, one.hidden}));
  }
  return rows;
}

// Returns the ids and cosines of the words that are nearest to a weighted sum of words. sum: ids and weights.
std::vector<std::pair<int32_t, double>> nearest_to_sum(const Model& model,
                                                       const std::vector<std::pair<int32_t, double>>& sum,
                                                       size_t count) {
  std::vector<std::pair<int32_t, double>> nearest;
  const Unlocked unlock;
  std::vector<WordTerm> terms;
  std::vector<int32_t> given;
  for (const auto& [id, weight] : sum) {
    terms.push_back({id, weight});
    given.push_back(id);
  }
  for (const WordNeighbor& word : nearest_words(word_cosines(model, terms), given, count)) {
    nearest.emplace_back(word.id, word.cosine);
  }
  return nearest;
}

nb::dict describe(const Model& model) {
  const ModelDescription description = model.describe();
  nb::dict dict;
  dict["source"] = description.source;
  dict["is_builtin"] = description.is_builtin;
  dict["isa"] = description.isa;
  dict["kernel"] = description.kernel;
  dict["precision"] = description.precision;
  dict["threads"] = description.threads;
  dict["packed_bytes"] = description.packed_bytes;
  dict["adapter"] = description.adapter;
  dict["adapter_bytes"] = description.adapter_bytes;
  dict["reproducible"] = description.reproducible;
  dict["arithmetic"] = description.arithmetic;
  return dict;
}

std::string_view view(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

Encoding tokenize(const Model& model, const nb::bytes& text, const std::optional<nb::bytes>& pair,
                  const TokenizeOptions& options) {
  return pair ? model.tokenizer().tokenize(view(text), view(*pair), options)
              : model.tokenizer().tokenize(view(text), options);
}

// Returns the ids and type ids of a text of any length. text, pair: UTF-8.
std::pair<std::vector<int32_t>, std::vector<int32_t>> token_ids(const Model& model, const nb::bytes& text,
                                                                const std::optional<nb::bytes>& pair,
                                                                bool add_special_tokens, size_t max_length) {
  TokenizeOptions options;
  options.add_special_tokens = add_special_tokens;
  options.max_length = max_length;
  options.only_ids = true;
  Encoding encoding = tokenize(model, text, pair, options);
  return {std::move(encoding.ids), std::move(encoding.type_ids)};
}

// Returns each token's place in its text, in code points, and a mask: 1 for a special token.
std::pair<std::vector<std::pair<size_t, size_t>>, std::vector<uint8_t>> token_places(
    const Model& model, const nb::bytes& text, const std::optional<nb::bytes>& pair, bool add_special_tokens,
    size_t max_length) {
  TokenizeOptions options;
  options.add_special_tokens = add_special_tokens;
  options.max_length = max_length;
  Encoding encoding = tokenize(model, text, pair, options);
  const OffsetUnits of_text(view(text), OffsetUnit::kCodePoints),
      of_pair(pair ? view(*pair) : std::string_view(), OffsetUnit::kCodePoints);
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t i = 0; i < encoding.size(); ++i) {
    const OffsetUnits& units = encoding.sequence_ids[i] == 1 ? of_pair : of_text;
    places.emplace_back(units.before(encoding.offsets[i].begin), units.before(encoding.offsets[i].end));
  }
  return {std::move(places), std::move(encoding.special_tokens_mask)};
}

void bind_load_settings(nb::module_& module) {
  nb::class_<LoadSettings>(module, "LoadSettings")
      .def(nb::init<>())
      .def("set_precision", &LoadSettings::set_precision)
      .def("set_packing", &LoadSettings::set_packing)
      .def("set_static_file", &LoadSettings::set_static_file)
      .def_rw("threads", &LoadSettings::threads)
      .def_rw("revision", &LoadSettings::revision)
      .def_rw("task", &LoadSettings::task, nb::arg().none())
      .def_rw("cache", &LoadSettings::cache)
      .def_rw("packed_bytes", &LoadSettings::packed_bytes)
      .def_prop_rw(
          "without_positions", [](const LoadSettings& settings) { return settings.positions.kind == Positions::kNone; },
          &LoadSettings::set_without_positions)
      .def_rw("encoder", &LoadSettings::encoder)
      .def_rw("adapter", &LoadSettings::adapter)
      .def_rw("max_words", &LoadSettings::max_words, nb::arg().none())
      .def_rw("max_width", &LoadSettings::max_width, nb::arg().none());
}

void bind_model(nb::module_& module) {
  nb::class_<Model>(module, "Model")
      .def_static("load", &load, "name"_a.none(), "settings"_a)
      .def_prop_ro("reads_labels", [](const Model& model) { return reads_labels(model, LabelTask::kEntities); })
      .def_prop_ro("scores_labels", [](const Model& model) { return reads_labels(model, LabelTask::kClasses); })
      .def_prop_ro("undeclared_pooling", [](const Model& model) { return undeclared_pooling(model.pooling()); })
      .def_prop_ro("notices", [](const Model& model) { return model.notices(); })
      .def_prop_ro("labels", [](const Model& model) { return model.config().labels; })
      .def_prop_ro("threads", &Model::threads)
      .def_prop_ro("has_positions", [](const Model& model) { return model.config().position_embedding_type != "none"; })
      .def_prop_ro("segments", [](const Model& model) { return model.config().type_vocab_size; })
      .def_prop_ro("attention_layers", [](const Model& model) { return model.config().attention_layers(); })
      .def_prop_ro("max_length", &Model::max_length)
      .def_prop_ro("max_positions", &Model::max_positions)
      .def_prop_ro("similarity", [](const Model& model) { return std::string(name(model.similarity())); })
      .def_prop_ro("prompts",
                   [](const Model& model) {
                     nb::dict prompts;
                     for (const std::string& prompt : model.prompt_names()) {
                       prompts[prompt.c_str()] = model.prompt(prompt);
                     }
                     return prompts;
                   })
      .def_prop_ro("default_prompt_name", &Model::default_prompt_name)
      .def_prop_ro("sparse_size", [](const Model& model) { return model.sparse().size; })
      .def_prop_ro("token_vector_size", [](const Model& model) { return token_vector_settings(model).size; })
      .def_prop_ro("mean_score", [](const Model& model) { return token_vector_settings(model).mean_score; })
      .def("nearest_words", &nearest_to_sum, "sum"_a, "count"_a)
      .def("embed_ids", &embed_ids, "sequences"_a)
      .def("hidden_of_ids", &hidden_of_ids, "sequences"_a)
      .def("token", [](const Model& model, int32_t id) { return std::string(model.tokenizer().token(id)); })
      .def("token_ids", &token_ids, "text"_a, "pair"_a.none(), "add_special_tokens"_a, "max_length"_a)
      .def("token_places", &token_places, "text"_a, "pair"_a.none(), "add_special_tokens"_a, "max_length"_a)
      .def("token_id", [](const Model& model, const std::string& token) { return model.tokenizer().id(token); })
      .def_prop_ro("vocabulary_size", [](const Model& model) { return model.tokenizer().vocabulary_size(); })
      .def_prop_ro("pad_token_id", [](const Model& model) { return model.tokenizer().padding_id(); })
      .def_prop_ro("mask_token_id", [](const Model& model) { return model.tokenizer().mask_id(); })
      .def_prop_ro("unknown_token_id", [](const Model& model) { return model.tokenizer().unknown_id(); })
      .def("describe", &describe)
      .def("check_files", &Model::check_files)
      .def("embedding_size", [](const Model& model, RunOptions& run) { return model.embedding_size(run.dense()); })
      .def("added_special_tokens",
           [](const Model& model, bool pair) { return model.tokenizer().added_special_tokens(pair); })
      .def(
          "decode",
          [](const Model& model, const std::vector<int32_t>& ids, bool skip_special_tokens) {
            return model.tokenizer().decode(ids, skip_special_tokens);
          },
          "ids"_a, "skip_special_tokens"_a);
}

void bind_run(nb::module_& module) {
  nb::class_<Run>(module, "Run")
      .def(nb::init<nb::object, nb::iterator, const RunOptions&>(), "model"_a, "texts"_a, "options"_a)
      .def("fill", &Run::fill, "out"_a)
      .def("next", &Run::next)
      .def("close", &Run::close)
      .def_prop_ro("texts", [](const Run& run) { return run.counts().texts; })
      .def_prop_ro("tokens", [](const Run& run) { return run.counts().tokens; })
      .def_prop_ro("truncated_texts", [](const Run& run) { return run.counts().truncated_texts; })
      .def_prop_ro("truncated_tokens", [](const Run& run) { return run.counts().truncated_tokens; })
      .def_prop_ro("coarse_texts", [](const Run& run) { return run.counts().coarse_texts; })
      .def_prop_ro("coarse_rows", [](const Run& run) { return run.counts().coarse_rows; })
      .def_prop_ro("failures", [](const Run& run) {
        nb::list list;
        for (const auto& [index, error] : run.failures()) {
          list.append(nb::make_tuple(index, exception_class(error.code())(error.what())));
        }
        return list;
      });
}

}  // namespace

NB_MODULE(_engine, module) {
  // A daemon thread, or an iterator that was not read to its end, keeps objects when the interpreter ends; this is no
  // fault.
  nb::set_leak_warnings(false);
  nb::register_exception_translator(translate);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_other_threads));
  module.attr("__version__") = std::string(version());
  module.def("tasks_json", &tasks_json);
  module.def("prompt_names", [](const std::string& role) {
    const std::span<const std::string_view> names = prompt_names(role_named(role));
    return std::vector<std::string>(names.begin(), names.end());
  });
  bind_load_settings(module);
  bind_model(module);
  bind_run_options(module);
  bind_run(module);
  bind_result(module);
  bind_redactor(module);
  bind_vectors(module);
  bind_index(module);
  bind_clusters(module);
  bind_experiments(module);
  bind_explanations(module);
  bind_forms(module);
}

}  // namespace bert::python
