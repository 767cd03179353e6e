// Prints the description of the tasks and their options as JSON, for the scripts that write files from it.
#include <iostream>

#include "bert/task_settings.h"

int main() {
  std::cout << bert::tasks_json() << '\n';
  return std::cout.flush() ? 0 : 1;
}
