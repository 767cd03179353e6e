// Entry of the program bert-infer.
#include <cstdio>

int main() {
  std::fputs("bert-infer: no command yet\n", stderr);
  return 2;
}
