#include "engine/base/memory.h"

#include <algorithm>

#include "bert/memory.h"
#include "engine/base/windows/system.h"

namespace bert {
namespace {

constexpr size_t kNoLimit = CgroupMemory::kNoLimit;

// Returns the limit of this process's job, which is what a container is here.
size_t job_limit() {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION job = {};
  if (QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &job, sizeof job, nullptr) == 0) {
    return kNoLimit;
  }
  const DWORD set = job.BasicLimitInformation.LimitFlags;
  return std::min((set & JOB_OBJECT_LIMIT_PROCESS_MEMORY) != 0 ? job.ProcessMemoryLimit : kNoLimit,
                  (set & JOB_OBJECT_LIMIT_JOB_MEMORY) != 0 ? job.JobMemoryLimit : kNoLimit);
}

MEMORYSTATUSEX machine_memory() {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0)
    status.ullTotalPhys = status.ullAvailPhys = status.ullAvailPageFile = kNoLimit;
  return status;
}

}  // namespace

size_t usable_memory() { return std::min<size_t>(machine_memory().ullTotalPhys, job_limit()); }

size_t available_memory() {
  const MEMORYSTATUSEX machine = machine_memory();
  return std::min<size_t>({machine.ullAvailPhys, machine.ullAvailPageFile, job_limit()});
}

int64_t process_number() noexcept { return GetCurrentProcessId(); }

}  // namespace bert
