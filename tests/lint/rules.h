// The rules of the source tree that no compiler checks, as pure functions from file contents to findings, so that each
// can be tested on made-up bad input. A finding is one line: "path:line: what is wrong". Thread-safe.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace bert::lint {

struct SourceFile {
  std::string path;  // from the top of the tree, with '/'
  std::string text;
};

using Findings = std::vector<std::string>;

// Checks that a file includes only what its folder may use (docs/ARCHITECTURE.md). Includes in quotes are written from
// the top of the tree. Public headers are "bert/name.h", and include only each other and the standard library. The
// build makes each "name.inc" that has no folder. The core (engine/, tokenizer/, models/) includes no header of another
// package.
Findings check_includes(const SourceFile& file);

// Checks that the core's sources, and the public headers of the core, include no public headers but those of the core.
// core_headers: the paths of these headers.
Findings check_core_headers(const SourceFile& file, const std::set<std::string>& core_headers);

// Checks that no files include each other in a circle. A source and its header count as one file. `exceptions` are
// includes that are left out, each as "models/a.cc includes models/b.h"; an exception that does not exist is a finding.
Findings check_include_circles(const std::vector<SourceFile>& files, const std::set<std::string>& exceptions);

// What nm says of the objects of a folder: the names that they define, and the names that they need from elsewhere.
struct FolderSymbols {
  std::string folder;
  std::set<std::string> defined;
  std::set<std::string> undefined;
};

// Checks the rule of check_includes on symbols: if a folder needs a symbol that another folder defines, it may use that
// folder.
Findings check_symbols(const std::vector<FolderSymbols>& folders);

// Checks that engine/kernels/isa/*.cc, which are built with ISA flags, include no library header with inline functions,
// directly or through other files of the tree. The linker could keep an AVX-512 copy of such a function for everyone.
Findings check_isa_includes(const std::vector<SourceFile>& files);

// Checks that the sources of engine/, tokenizer/ and program/cli/ name no model family. Families differ only in data,
// which is in models/.
Findings check_family_names(const SourceFile& file);

// Checks that each source a/b/c.cc has the test tests/a/b/c_test.cc. `exceptions` are sources without one. An exception
// that is not needed, or that names no source, is a finding too.
Findings check_mirror(const std::set<std::string>& paths, const std::set<std::string>& exceptions);

// Checks that a source of the library or the program has at most 400 lines. `exceptions` may be longer; one that does
// not exist is a finding.
Findings check_file_lengths(const std::vector<SourceFile>& files, const std::set<std::string>& exceptions);

// Checks that each relative link of a Markdown file leads to a file or folder of the tree.
Findings check_links(const SourceFile& file, const std::set<std::string>& paths);

// Checks the table of folders in `page`. Its rows are "| `folder/` | what it may include, by commas | what it holds |".
// It must have a row for each folder of the include rule, and each row must name the same folders as the rule.
Findings check_folder_table(const SourceFile& page);

// The classes, structures, enumerations and namespaces that C++ sources define. The caller keeps the files alive.
class SourceNames {
 public:
  explicit SourceNames(const std::vector<SourceFile>& files);

  // Returns whether a file that defines `scope` contains the word `member`.
  bool have(const std::string& scope, const std::string& member) const;

 private:
  const std::vector<SourceFile>& files_;
  std::map<std::string, std::vector<size_t>> files_of_;  // from a defined name to indices into files_
};

// Checks that the paths and names in backquotes of a Markdown page exist, such as `engine/base/cpu.h` and
// `SelfAttention::window`.
Findings check_names_of_sources(const SourceFile& page, const std::set<std::string>& paths, const SourceNames& names);

// Checks that no line is longer than 120 columns: in Markdown outside of tables and code, in Python and shell
// everywhere, and in CMake in comments. clang-format breaks the lines of C++.
Findings check_line_lengths(const SourceFile& file);

// Checks that a C++ source uses each name that one of its using declarations names. Inherited constructors are not
// checked, because callers use them.
Findings check_using_declarations(const SourceFile& file);

// Checks that a file is not empty, and that it has a name or an ending that is known in this tree. Two kinds are empty
// by convention: Python's __init__.py and py.typed.
Findings check_kind(const std::string& path, bool is_empty);

// Checks that the library's C++ sources call utf8() of a path and not string(), which on Windows has the bytes of the
// process's code page. The program's code page is UTF-8.
Findings check_path_strings(const SourceFile& file);

// Checks that no path belongs to one person's machine, such as a home folder.
Findings check_machine_paths(const SourceFile& file);

}  // namespace bert::lint
