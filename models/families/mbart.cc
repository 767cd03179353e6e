// mBART: BART with a norm before each block, and one after all layers.
#include "models/families/bart.h"

namespace bert {
namespace {

constexpr Family make_mbart() {
  Family family = make_bart("mbart", "MBart");
  family.tokenizer = {.files = TokenizerFiles::kTokenizerJson, .json_reading = JsonReading::kNoClass};
  family.names.norm_before_attention = family.names.norm_after_attention;
  family.names.norm_after_attention = "";
  family.names.norm_before_feed_forward = family.names.norm_after_feed_forward;
  family.names.norm_after_feed_forward = "";
  family.names.final_norm = "encoder.layer_norm";
  return family;
}

}  // namespace

constinit const Family mbart_family = make_mbart();

}  // namespace bert
