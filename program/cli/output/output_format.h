// The values of --format. Stateless; safe to call from many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bert::cli {

enum class OutputFormat : uint8_t { kText, kJson, kJsonl, kCsv, kIds, kNpy, kNpz, kSafetensors };

inline constexpr OutputFormat kOutputFormats[] = {OutputFormat::kText, OutputFormat::kJson,       OutputFormat::kJsonl,
                                                  OutputFormat::kCsv,  OutputFormat::kIds,        OutputFormat::kNpy,
                                                  OutputFormat::kNpz,  OutputFormat::kSafetensors};

constexpr const char* name(OutputFormat format) {
  switch (format) {
    case OutputFormat::kText:
      return "text";
    case OutputFormat::kJson:
      return "json";
    case OutputFormat::kJsonl:
      return "jsonl";
    case OutputFormat::kCsv:
      return "csv";
    case OutputFormat::kIds:
      return "ids";
    case OutputFormat::kNpy:
      return "npy";
    case OutputFormat::kNpz:
      return "npz";
    case OutputFormat::kSafetensors:
      return "safetensors";
  }
  return "";
}

// Returns nullopt if no format has this name.
constexpr std::optional<OutputFormat> output_format(std::string_view wanted) {
  for (const OutputFormat format : kOutputFormats) {
    if (wanted == name(format)) return format;
  }
  return std::nullopt;
}

}  // namespace bert::cli
