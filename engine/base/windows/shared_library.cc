#include "engine/base/shared_library.h"

#include "engine/base/utf8_path.h"
#include "engine/base/windows/system.h"

namespace bert {
namespace {

// As MSYS2 names them: libonig-5.dll.
std::string file_name(std::string_view name, std::string_view version) {
  return "lib" + std::string(name) + (version.empty() ? "" : "-") + std::string(version) + ".dll";
}

// Returns the system's last error without the full stop and the line end that Windows puts behind it.
std::string last_problem() {
  const std::string message = last_error().message();
  return message.substr(0, message.find_last_not_of(".\r\n ") + 1);
}

}  // namespace

// Looks in the program's folder and the system's, not in the current one, where others may put files.
SharedLibrary::SharedLibrary(std::string_view name, std::initializer_list<std::string_view> versions,
                             std::string_view) {
  for (const std::string_view version : versions) {
    std::string file = file_name(name, version);
    handle_ = LoadLibraryExW(path_of(file).c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
    if (handle_ == nullptr && !problem_.empty()) continue;
    problem_ = handle_ == nullptr ? file + ": " + last_problem() : "";
    file_ = std::move(file);
    if (handle_ != nullptr) return;
  }
}

void* SharedLibrary::find(const char* symbol) const {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(handle_), symbol));
}

}  // namespace bert
