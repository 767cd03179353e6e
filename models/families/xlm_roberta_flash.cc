// Jina embeddings v3 as published by its authors: its config.json says "xlm-roberta"; position_embedding_type "rotary"
// distinguishes it. A weight is the parameter of a torch parametrization, beside the adapters (LoRA) of all tasks.
#include "models/config/adapter_settings.h"
#include "models/families/jina_embeddings_v3.h"

namespace bert {
namespace {

constexpr WeightNames::Ending kFlashEndings[] = {{".parametrizations.weight.original", ".weight"}};
constexpr std::string_view kFlashIgnorable[] = {"pooler.*",     "lm_head.*", "classifier.*",
                                                "qa_outputs.*", "*.lora_A",  "*.lora_B"};

void read_xlm_roberta_flash(const JsonObject& fields, ModelConfig& config) {
  config.rotary.theta = fields.positive_number("rotary_emb_base").value_or(10000);
  config.adapters = read_task_adapters(fields);
}

constexpr Family make_xlm_roberta_flash() {
  Family flash = make_jina_v3("xlm-roberta", "XLMRobertaLoRA", read_xlm_roberta_flash);
  flash.position_embedding_type = "rotary";
  flash.transformer_class = "custom_st.Transformer";
  flash.weights.endings = kFlashEndings;
  flash.weights.ignorable = kFlashIgnorable;
  return flash;
}

}  // namespace

constinit const Family xlm_roberta_flash_family = make_xlm_roberta_flash();

}  // namespace bert
