// Returns the paths of the sources and of the built program. Only build_tree.cc contains these paths, so that all other
// tests compile to the same objects in every directory.
#pragma once

#include <string>

namespace bert::test {

std::string source_directory();
std::string program_path();

}  // namespace bert::test
