// Makes one vector of a text, and a vector of each of its tokens, with the built-in model. Uses only bert/model.h.
#include <cstdio>

#include "bert/model.h"

int main() {
  const bert::Model model = bert::Model::builtin();
  const std::vector<float> vector = model.embed("A man plays a guitar.");
  const bert::EncodedText encoded = model.encode("A man plays a guitar.");
  std::printf("1 vector of %zu numbers, %zu tokens of %zu\n", vector.size(), encoded.tokens, encoded.hidden);
}
