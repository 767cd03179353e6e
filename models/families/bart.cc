#include "models/families/bart.h"

#include "models/families/roberta.h"

namespace bert {
namespace {

constexpr Family make_bart_family() {
  Family family = make_bart("bart", "Bart");
  family.tokenizer = make_roberta().tokenizer;
  family.tokenizer.usual = false;
  return family;
}

}  // namespace

constinit const Family bart_family = make_bart_family();

}  // namespace bert
