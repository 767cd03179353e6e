// Where the sources are, and the program that the build made. One file of the tests knows these paths, so that all
// others compile to the same objects in every directory.
#pragma once

#include <string>

namespace bert::test {

std::string source_directory();
std::string program_path();

}  // namespace bert::test
