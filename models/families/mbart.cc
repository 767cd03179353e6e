// mBART: BART with a norm before each block, and one after all layers.
#include "models/families/bart.h"

namespace bert {
namespace {

constexpr Family make_mbart() {
  Family family = make_bart("mbart", "MBart");
  family.tokenizer = {.files = TokenizerFiles::kTokenizerJson,
                      .json_reading = JsonReading::kNoClass,
                      .unapplied_text = UnappliedText::kMBart,
                      .unapplied_text_of_type = UnappliedText::kMBart};
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
