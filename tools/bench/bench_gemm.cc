// Matrix products alone.
#include "tools/bench/ceilings.h"
#include "tools/bench/measure.h"
#include "tools/bench/products.h"

int main(int argc, char** argv) {
  bert::bench::Options options(argc, argv, {});
  bert::bench::register_ceilings();
  bert::bench::register_products();
  return bert::bench::run_benchmarks(options);
}
