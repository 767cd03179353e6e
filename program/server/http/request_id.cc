#include "program/server/http/request_id.h"

#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <random>
#include <system_error>

namespace bert::server {

namespace {

// Asks the system, because std::random_device may read a file that an empty root folder lacks.
uint64_t random_seed() {
  uint64_t seed = 0;
  if (getentropy(&seed, sizeof(seed)) != 0) throw std::system_error(errno, std::generic_category(), "getentropy");
  return seed;
}

}  // namespace

std::string random_uuid() {
  thread_local std::mt19937_64 random{random_seed()};
  const uint64_t high = (random() & ~uint64_t{0xF000}) | 0x4000;
  const uint64_t low = (random() & ~(uint64_t{3} << 62)) | (uint64_t{2} << 62);
  char text[37];
  std::snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(high >> 32),
                static_cast<unsigned>(high >> 16 & 0xFFFF), static_cast<unsigned>(high & 0xFFFF),
                static_cast<unsigned>(low >> 48), static_cast<unsigned long long>(low & 0xFFFFFFFFFFFF));
  return text;
}

bool is_traceparent(std::string_view text) {
  constexpr std::string_view kForm = "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx";
  if (text.size() != kForm.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_hex = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (kForm[i] == 'x' ? !is_hex : text[i] != kForm[i]) return false;
  }
  return true;
}

}  // namespace bert::server
