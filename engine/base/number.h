// Converts decimal texts to the nearest double, and numbers to texts. Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bert {

// Converts the whole text, which must be a number as in JSON. Returns nullopt for another text, for a number that is
// not a finite double, and for one that rounds to 0 without being 0.
std::optional<double> parse_double(std::string_view text);

// Returns the text with the fewest digits that reads back as this number.
std::string shortest_text(double value);

}  // namespace bert
