// Encodes a text with the built-in model, as a consumer of the package.
#include <iostream>

#include "bert/model.h"

int main() {
  const bert::Model model = bert::Model::builtin();
  std::cout << "bert-infer " << bert::version() << ": " << model.embed("A text").size() << " dimensions\n";
}
