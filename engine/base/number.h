// Decimal numbers of texts, rounded to the nearest double, and texts of numbers. Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bert {

// The whole text, as JSON writes a number; nullopt for another text, and for a number that is no finite double or that
// rounds to 0 without being it.
std::optional<double> parse_double(std::string_view text);

// With the fewest digits that mean this number.
std::string shortest_text(double value);

}  // namespace bert
