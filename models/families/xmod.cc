// X-MOD: XLM-RoBERTa with a small network per language in every layer.
#include "models/families/roberta.h"

namespace bert {
namespace {

void read_xmod(const JsonObject& fields, ModelConfig& config) {
  using enum LanguageAdapters::Norm;
  const auto flag = [&](const char* name, bool otherwise) { return fields.nullable_boolean(name).value_or(otherwise); };
  const JsonObject::Range factors = {.min = 1, .max = static_cast<int64_t>(config.hidden_size)};
  LanguageAdapters adapters;
  adapters.languages = {"en_XX"};
  if (fields.nullable("languages")) adapters.languages = *fields.strings("languages");
  adapters.language = fields.nullable_string("default_language").value_or("");
  adapters.size = config.hidden_size /
                  static_cast<size_t>(fields.nullable_integer("adapter_reduction_factor", factors).value_or(2));
  if (!flag("adapter_reuse_layer_norm", true)) adapters.norm = kNone;
  if (flag("adapter_layer_norm", false)) adapters.norm = kOwn;
  adapters.norm_before_residual = flag("ln_before_adapter", true);
  config.language_adapters = adapters;
  config.norms_come_first = flag("pre_norm", false);
}

constexpr Family make_xmod() {
  Family family = make_sentencepiece_roberta("xmod", "Xmod", kXlmRobertaPieces);
  family.names_sentence_file = false;
  family.read_settings = read_xmod;
  family.names.language_adapters = "encoder.layer.{}.output.adapter_modules";
  family.names.language_norm = "encoder.layer.{}.output.adapter_layer_norm";
  family.names.final_norm = "encoder.LayerNorm";
  family.final_norm_if_first = true;
  return family;
}

}  // namespace

constinit const Family xmod_family = make_xmod();

}  // namespace bert
