// Character data as in the reference: properties, lower case, canonical decomposition, combining class. Unicode 8.0,
// 9.0 and 17 are mixed as in the reference; see tools/generate_unicode_tables.py. Stateless; safe to call from many
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tokenizer/unicode/unicode_tables.h"

namespace bert::unicode {

// Bits of properties(); the same names are in tools/generate_unicode_tables.py.
enum Property : uint8_t {
  kSpace = 1,        // White_Space
  kPunctuation = 2,  // category P of Unicode 8.0, and the 32 of ASCII
  kRemoved = 4,      // deleted by clean_text: Cc without TAB, LF, CR; Cf of Unicode 8.0; Co; U+FFFD
  kCjk = 8,          // an ideograph that becomes a word
  kNonspacing = 16,  // category Mn of Unicode 8.0
  kDecomposes = 32,  // has a canonical decomposition
  kHasClass = 64,    // its canonical combining class is not 0
  kHasLower = 128,   // differs from its lower case
};

inline uint8_t properties(char32_t c) { return kProperties[kPropertyBlocks[c >> 7] * 128u + (c & 127)]; }

// U+0130 is the only character whose lower case has two characters: 'i' and U+0307.
inline constexpr char32_t kDottedCapitalI = 0x130;
inline constexpr char32_t kDotAbove = 0x307;

// Returns the lower case of c; for U+0130 only 'i'.
char32_t lower_case(char32_t c);

inline constexpr size_t kMaxDecomposition = 4;
inline constexpr size_t kMaxCompatibility = 18;

// Writes the full canonical decomposition of c, or c itself if it has none; returns the number of code points.
size_t decompose(char32_t c, char32_t (&parts)[kMaxDecomposition]);

// Writes the full compatibility decomposition of c, or c itself if it has none; returns the number of code points.
size_t decompose_compatibility(char32_t c, char32_t (&parts)[kMaxCompatibility]);

// Returns the character that first and second compose to; 0 if there is none.
char32_t compose(char32_t first, char32_t second);

uint8_t combining_class(char32_t c);

bool is_mark(char32_t c);                         // categories Mn, Mc and Me, Unicode 9.0
bool is_word_character(char32_t c);               // \w of the reference's regular expressions, Unicode 16
bool is_letter(char32_t c);                       // \p{L}, Unicode 16
bool is_number(char32_t c);                       // \p{N}, Unicode 16
std::span<const CodePointRange> letter_ranges();  // of is_letter, in order
std::span<const CodePointRange> number_ranges();  // of is_number
ClusterClass cluster_class(char32_t c);
// Returns the number of c's script in Unicode 9.0, with Hiragana and Katakana as part of Han; 0 for a space and for
// code points that Unicode 9.0 does not assign.
uint8_t script(char32_t c);
inline bool is_space(char32_t c) { return (properties(c) & kSpace) != 0; }

}  // namespace bert::unicode
