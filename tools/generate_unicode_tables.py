#!/usr/bin/env python3
"""Writes tokenizer/unicode/unicode_tables.cc: the character tables of the reference tokenizer (Hugging Face
tokenizers 0.23.3).

Usage: generate_unicode_tables.py [OUTPUT]      (standard output without it)

The reference mixes four versions of Unicode, so no library gives its answer:
  punctuation, nonspacing marks and format characters   Unicode 8.0  (crate unicode_categories 0.1.1)
  canonical decompositions, combining classes, marks    Unicode 9.0  (crate unicode-normalization-alignments)
  lower case                                            Unicode 17   (Rust's standard library)
  word characters (\\w)                                  Unicode 16   (crate regex)
  letters, numbers and other categories of expressions  Unicode 16   (the Oniguruma library)
  grapheme clusters                                     Unicode 17   (crate unicode-segmentation)
  scripts                                               Unicode 9.0  (its UnicodeScripts; tools/unicode_scripts.py)
Python's unicodedata is the base, in version 14.0 exactly, and the lists below are the differences. They were found by
asking the reference about each of the 1,112,064 scalar values; tests/tokenizer/normalizer/bert_normalizer_test.cc
checks the outcome against its answers. Only Python's standard library is used.
"""
import functools
import sys
import unicodedata

from unicode_scripts import SCRIPTS

BASE_VERSION = "14.0.0"
SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def parse(text):
    """Returns the code points of text such as '0041-005A 00C0' as a set."""
    result = set()
    for item in text.split():
        first, _, last = item.partition("-")
        result.update(range(int(first, 16), int(last or first, 16) + 1))
    return result


# Punctuation (P*) that is in Unicode 14.0 but not in 8.0, and the reverse.
PUNCTUATION_SINCE_8 = parse("""
    061D 09FD 0A76 0C77 0C84 1B7D-1B7E 2E43-2E4F 2E52-2E5D 10EAD 10F55-10F59 10F86-10F89 1144B-1144F 1145A-1145B 1145D
    11660-1166C 116B9 1183B 11944-11946 119E2 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11C41-11C45 11C70-11C71 11EF7-11EF8
    11FFF 12FF1-12FF2 16E97-16E9A 16FE2 1E95E-1E95F""")
PUNCTUATION_UNTIL_8 = parse("166D 111C9")

# Nonspacing marks (Mn) that are in Unicode 14.0 but not in 8.0.
NONSPACING_SINCE_8 = parse("""
    07FD 0898-089F 08CA-08E1 09FE 0AFA-0AFF 0B55 0C04 0C3C 0D00 0D3B-0D3C 0D81 0EBA 180F 1885-1886 1ABF-1ACE 1DF6-1DFB
    A82C A8C5 A8FF A9BD 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85 11070 11073-11074 110C2 111C9 111CF 1123E 1133B
    11438-1143F 11442-11444 11446 1145E 1182F-11837 11839-1183A 1193B-1193C 1193E 11943 119D4-119D7 119DA-119DB 119E0
    11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47 11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A99 11C30-11C36 11C38-11C3D
    11C3F 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91
    11D95 11D97 11EF3-11EF4 16F4F 16FE4 1CF00-1CF2D 1CF30-1CF46 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024
    1E026-1E02A 1E130-1E136 1E2AE 1E2EC-1E2EF 1E944-1E94A""")
NONSPACING_UNTIL_8 = parse("1734")

# Format characters (Cf) that are in Unicode 14.0 but not in 8.0.
FORMAT_SINCE_8 = parse("0890-0891 08E2 110CD 13430-13438")

# Marks (Mn, Mc, Me) that are in Unicode 14.0 but not in 9.0. The StripAccents normalizer removes the marks of 9.0.
MARKS_SINCE_9 = parse("""
    07FD 0898-089F 08CA-08D3 09FE 0AFA-0AFF 0B55 0C04 0C3C 0D00 0D3B-0D3C 0D81 0EBA 1715 180F 1ABF-1ACE 1CF7 1DF6-1DFA
    A82C A8FF 10D24-10D27 10EAB-10EAC 10F46-10F50 10F82-10F85 11070 11073-11074 110C2 11145-11146 111C9 111CE-111CF
    1133B 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 119D1-119D7 119DA-119E0 119E4
    11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47
    11D8A-11D8E 11D90-11D91 11D93-11D97 11EF3-11EF6 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1CF00-1CF2D 1CF30-1CF46
    1E130-1E136 1E2AE 1E2EC-1E2EF""")
MARKS_UNTIL_9 = parse("1CF2-1CF3")

# Marks that had no combining class in Unicode 9.0 (most were unassigned), and the one decomposition added since.
CLASS_SINCE_9 = parse("""
    07FD 0898-089F 08CA-08D3 09FE 0C3C 0D3B-0D3C 0EBA 1715 1ABF-1ACE 1DF6-1DFA A82C 10D24-10D27 10EAB-10EAC 10F46-10F50
    10F82-10F85 11070 1133B 1145E 11839-1183A 1193D-1193E 11943 119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97
    16FF0-16FF1 1E130-1E136 1E2AE 1E2EC-1E2EF""")
DECOMPOSITION_SINCE_9 = parse("11938")

# Lower case added between Unicode 14 and 17: (first, last) of the capitals, and the first of the small letters.
LOWER_UNTIL_17 = [
    (0x1C89, 0x1C89, 0x1C8A), (0xA7CB, 0xA7CB, 0x0264), (0xA7CC, 0xA7CC, 0xA7CD), (0xA7CE, 0xA7CE, 0xA7CF),
    (0xA7D2, 0xA7D2, 0xA7D3), (0xA7D4, 0xA7D4, 0xA7D5), (0xA7DA, 0xA7DA, 0xA7DB), (0xA7DC, 0xA7DC, 0x019B),
    (0x10D50, 0x10D65, 0x10D70), (0x16EA0, 0x16EB8, 0x16EBB)]
# The only character whose lower case is two characters. It is in tokenizer/unicode/unicode.h and not in the tables.
DOTTED_CAPITAL_I = 0x0130

# The characters of \w are letters, marks, Nd, Nl, Pc, Other_Alphabetic and Join_Control. The last two are no category.
# Some characters came after 14.0.
OTHER_ALPHABETIC_OR_JOINER = parse("200C-200D 24B6-24E9 1F130-1F149 1F150-1F169 1F170-1F189")
WORD_UNTIL_16 = parse("""
    0897 0CF3 0ECE 1C89-1C8A A7CB-A7CD A7DA-A7DC 105C0-105F3 10D40-10D65 10D69-10D6D 10D6F-10D85 10EC2-10EC4
    10EFC-10EFF 1123F-11241 11380-11389 1138B 1138E 11390-113B5 113B7-113C0 113C2 113C5 113C7-113CA 113CC-113D3
    113E1-113E2 116D0-116E3 11BC0-11BE0 11BF0-11BF9 11F00-11F10 11F12-11F3A 11F3E-11F42 11F50-11F5A 1342F 13440-13455
    13460-143FA 16100-16139 16D40-16D6C 16D70-16D79 18CFF 1B132 1B155 1CCF0-1CCF9 1DF25-1DF2A 1E030-1E06D 1E08F
    1E4D0-1E4F9 1E5D0-1E5FA 2B739 2EBF0-2EE5D 31350-323AF""")

# Characters of the general categories of Unicode 16 that came after 14.0, for regular expressions. (U+1171E was Mn.)
CATEGORIES_UNTIL_16 = {
    "Lu": parse("1C89 A7CB-A7CC A7DA A7DC 10D50-10D65"),
    "Ll": parse("1C8A A7CD A7DB 10D70-10D85 1DF25-1DF2A"),
    "Lm": parse("10D4E 10D6F 16D40-16D42 16D6B-16D6C 1E030-1E06D 1E4EB"),
    "Lo": parse("""
        105C0-105F3 10D4A-10D4D 10D4F 10EC2-10EC4 1123F-11240 11380-11389 1138B 1138E 11390-113B5 113B7 113D1
        113D3 11BC0-11BE0 11F02 11F04-11F10 11F12-11F33 1342F 13441-13446 13460-143FA 16100-1611D 16D43-16D6A
        18CFF 1B132 1B155 1E4D0-1E4EA 1E5D0-1E5ED 1E5F0 2B739 2EBF0-2EE5D 31350-323AF"""),
    "Mn": parse("""
        0897 0ECE 10D69-10D6D 10EFC-10EFF 11241 113BB-113C0 113CE 113D0 113D2 113E1-113E2 11F00-11F01
        11F36-11F3A 11F40 11F42 11F5A 13440 13447-13455 1611E-16129 1612D-1612F 1E08F 1E4EC-1E4EF 1E5EE-1E5EF"""),
    "Mc": parse("""
        0CF3 113B8-113BA 113C2 113C5 113C7-113CA 113CC-113CD 113CF 1171E 11F03 11F34-11F35 11F3E-11F3F 11F41
        1612A-1612C"""),
    "Nd": parse("""
        10D40-10D49 116D0-116E3 11BF0-11BF9 11F50-11F59 16130-16139 16D70-16D79 1CCF0-1CCF9 1E4F0-1E4F9
        1E5F1-1E5FA"""),
    "No": parse("1D2C0-1D2D3"),
    "Pd": parse("10D6E"),
    "Po": parse("1B4E-1B4F 1B7F 113D4-113D5 113D7-113D8 11B00-11B09 11BE1 11F43-11F4F 16D6D-16D6F 1E5FF"),
    "Sm": parse("10D8E-10D8F"),
    "So": parse("""
        2427-2429 2FFC-2FFF 31E4-31E5 31EF 1CC00-1CCEF 1CD00-1CEB3 1F6DC 1F774-1F776 1F77B-1F77F 1F7D9
        1F8B2-1F8BB 1F8C0-1F8C1 1FA75-1FA77 1FA87-1FA89 1FA8F 1FAAD-1FAAF 1FABB-1FABF 1FAC6 1FACE-1FACF
        1FADA-1FADC 1FADF 1FAE8-1FAE9 1FAF7-1FAF8 1FBCB-1FBEF"""),
    "Cf": parse("13439-1343F"),
}

# Compatibility decompositions added since 9.0.
COMPATIBILITY_SINCE_9 = parse("32FF A7F2-A7F4 AB69 10781-10785 10787-107B0 107B2-107BA 1F16C 1FBF0-1FBF9")

# Grapheme clusters of Unicode 17. The characters that join the one before them (Extend, SpacingMark, ZWJ) are the marks
# of 14.0 with these differences. Then come the characters that the next one joins (Prepend), and Extended_Pictographic.
JOINING_BESIDE_MARKS = parse("""
    0897 0CF3 0E33 0EB3 0ECE 1ACF-1ADD 1AE0-1AEB 200C-200D FF9E-FF9F 10D69-10D6D 10EFA-10EFF 11241 113B8-113C0 113C2
    113C5 113C7-113CA 113CC-113D0 113D2 113E1-113E2 11B60-11B67 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 11F5A 13440
    13447-13455 1611E-1612F 1E08F 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F3FB-1F3FF E0020-E007F""")
MARKS_NOT_JOINING = parse("""
    102B-102C 1038 1062-1064 1067-106D 1083 1087-108C 108F 109A-109C 1A61 1A63-1A64 AA7B AA7D 11720-11721""")
PREPENDED = parse("""
    0600-0605 06DD 070F 0890-0891 08E2 0D4E 110BD 110CD 111C2-111C3 113D1 1193F 11941 11A84-11A89 11D46 11F02""")
PICTOGRAPHIC = parse("""
    00A9 00AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6
    25C0 25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C
    274E 2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299
    1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F
    1F232-1F23A 1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F
    1F848-1F84F 1F85A-1F85F 1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD""")
# Unassigned characters that form no cluster with a mark, because they are Default_Ignorable_Code_Point.
CONTROL_BESIDE_CATEGORIES = parse("2065 FFF0-FFF8 E0000 E0002-E001F E0080-E00FF E01F0-E0FFF")

WHITE_SPACE = parse("0009-000D 0020 0085 00A0 1680 2000-200A 2028-2029 202F 205F 3000")
ASCII_PUNCTUATION = parse("0021-002F 003A-0040 005B-0060 007B-007E")
# The reference starts the sixth range at 2B920 instead of Google's 2B820. It stays, because ids must match.
CJK = parse("4E00-9FFF 3400-4DBF 20000-2A6DF 2A700-2B73F 2B740-2B81F 2B920-2CEAF F900-FAFF 2F800-2FA1F")

HANGUL_SYLLABLES = range(0xAC00, 0xD7A4)  # decomposed by arithmetic
BLOCK = 128

# Bits of a character's properties; the same names are in tokenizer/unicode/unicode.h.
SPACE, PUNCTUATION, REMOVED, IS_CJK, NONSPACING, DECOMPOSES, HAS_CLASS, HAS_LOWER = (1 << i for i in range(8))


def category(c):
    return unicodedata.category(chr(c))


@functools.lru_cache(maxsize=None)
def decomposition(c):
    if c in DECOMPOSITION_SINCE_9 or c in HANGUL_SYLLABLES:
        return ""
    full = unicodedata.normalize("NFD", chr(c))
    return "" if full == chr(c) else full


def compatibility(c):
    """Returns the full compatibility decomposition, or "" if it is the canonical one."""
    if c in COMPATIBILITY_SINCE_9 or c in HANGUL_SYLLABLES:
        return ""
    full = unicodedata.normalize("NFKD", chr(c))
    return "" if full == (decomposition(c) or chr(c)) else full


def compositions():
    """Returns (first, second, composed) of all compositions of NFC, without Hangul."""
    result = []
    for c in SCALARS:
        parts = unicodedata.decomposition(chr(c)).split()
        if len(parts) == 2 and decomposition(c) and unicodedata.normalize("NFC", chr(c)) == chr(c):
            result.append((int(parts[0], 16), int(parts[1], 16), c))
    return sorted(result)


def cluster_ranges():
    """Returns (first, last, class) of unicode.h's ClusterClass, without Hangul, which arithmetic gives."""
    names = {}
    for c in SCALARS:
        kind = category(c)
        if c in PREPENDED:
            names[c] = "kPrepended"
        elif c in JOINING_BESIDE_MARKS or kind[0] == "M" and c not in MARKS_NOT_JOINING:
            names[c] = "kJoining"
        elif kind in ("Cc", "Cf", "Zl", "Zp") or c in CONTROL_BESIDE_CATEGORIES:
            names[c] = "kControl"
        elif c in PICTOGRAPHIC:
            names[c] = "kPictographic"
    names[0x200D] = "kJoiner"
    result = []
    for c, name in sorted(names.items()):
        if result and result[-1][1] == c - 1 and result[-1][2] == name:
            result[-1][1] = c
        else:
            result.append([c, c, name])
    return result


def combining_class(c):
    return 0 if c in CLASS_SINCE_9 else unicodedata.combining(chr(c))


def lower_case():
    lower = {c: ord(chr(c).lower()) for c in SCALARS if c != DOTTED_CAPITAL_I and chr(c).lower() != chr(c)}
    for first, last, small in LOWER_UNTIL_17:
        lower.update({c: small + c - first for c in range(first, last + 1)})
    return lower


def ranges(points):
    """Returns a set of code points as sorted (first, last) pairs."""
    result = []
    for c in sorted(points):
        if result and result[-1][1] == c - 1:
            result[-1][1] = c
        else:
            result.append([c, c])
    return result


def properties(lower):
    categories = {c: category(c) for c in SCALARS}
    punctuation = {c for c in SCALARS if categories[c][0] == "P"} - PUNCTUATION_SINCE_8
    punctuation |= PUNCTUATION_UNTIL_8 | ASCII_PUNCTUATION
    nonspacing = {c for c in SCALARS if categories[c] == "Mn"} - NONSPACING_SINCE_8 | NONSPACING_UNTIL_8
    removed = {c for c in SCALARS if categories[c] in ("Cc", "Cf", "Co")} - FORMAT_SINCE_8 - {9, 10, 13} | {0xFFFD}
    result = [0] * 0x110000
    for points, bit in (
            (WHITE_SPACE, SPACE), (punctuation, PUNCTUATION), (removed, REMOVED), (CJK, IS_CJK),
            (nonspacing, NONSPACING),
            ({c for c in SCALARS if decomposition(c)} | set(HANGUL_SYLLABLES), DECOMPOSES),
            ({c for c in SCALARS if combining_class(c)}, HAS_CLASS), (set(lower) | {DOTTED_CAPITAL_I}, HAS_LOWER)):
        for c in points:
            result[c] |= bit
    marks = {c for c in SCALARS if categories[c][0] == "M"} - MARKS_SINCE_9 | MARKS_UNTIL_9
    word = {c for c in SCALARS if categories[c][0] in "LM" or categories[c] in ("Nd", "Nl", "Pc")}
    return result, marks, word | OTHER_ALPHABETIC_OR_JOINER | WORD_UNTIL_16


def all_of_class(letter):
    """Returns the characters of Unicode 16 whose category begins with the letter."""
    newer = [points for name, points in CATEGORIES_UNTIL_16.items() if name[0] == letter]
    return {c for c in SCALARS if category(c)[0] == letter}.union(*newer)


def lower_ranges(lower):
    """Returns (first, last, step, distance). From first to last, in steps of 1 or 2, the small letter is `distance`
    further on."""
    result = []
    for c, small in sorted(lower.items()):
        if result and result[-1][3] == small - c:
            first, last, step, _ = result[-1]
            if first == last and c - last in (1, 2) or c - last == step:
                result[-1][1:3] = [c, c - last]
                continue
        result.append([c, c, 1, small - c])
    return result


def class_ranges():
    result = []
    for c in SCALARS:
        k = combining_class(c)
        if not k:
            continue
        if result and result[-1][1] == c - 1 and result[-1][2] == k:
            result[-1][1] = c
        else:
            result.append([c, c, k])
    return result


def script_ranges():
    """Returns (first, last, number) of each script, numbered from 1."""
    return sorted((*r, number) for number, points in enumerate(SCRIPTS.values(), 1) for r in ranges(parse(points)))


def rows(items, columns=120):
    """Returns the items, separated by commas, in lines of limited width."""
    lines, line = [], " "
    for item in items:
        text = f" {item},"
        if len(line) + len(text) > columns:
            lines.append(line)
            line = " "
        line += text
    return "\n".join(lines + [line])


def generate():
    lower = lower_case()
    bits, marks, word = properties(lower)
    blocks, index = {}, []
    for start in range(0, 0x110000, BLOCK):
        block = tuple(bits[start:start + BLOCK])
        index.append(blocks.setdefault(block, len(blocks)))
    assert len(blocks) < 256
    decompositions, letters = [], []
    for c in SCALARS:
        full = decomposition(c)
        if full:
            decompositions.append((c, len(letters), len(full)))
            letters.extend(ord(x) for x in full)
    compatible = []
    for c in SCALARS:
        full = compatibility(c)
        if full:
            compatible.append((c, len(letters), len(full)))
            letters.extend(ord(x) for x in full)
    letter, number = all_of_class("L"), all_of_class("N")
    pairs = lambda items: rows("{0x%X, 0x%X}" % tuple(r) for r in ranges(items))
    arrays = [
        ("The block of a code point's properties, by code point / 128.",
         "const uint8_t kPropertyBlocks[8704]", rows(map(str, index))),
        ("The properties of a block's 128 code points: bits of tokenizer/unicode/unicode.h. Unicode 8.0, 9.0 and 17, "
         "as it says there.",
         f"const uint8_t kProperties[{len(blocks) * BLOCK}]", rows(str(b) for block in blocks for b in block)),
        ("Lower case, Unicode 17: first, last, step, distance.",
         "const LowerRange kLowerRanges[]", rows("{0x%X, 0x%X, %d, %d}" % tuple(r) for r in lower_ranges(lower))),
        ("Canonical combining classes, Unicode 9.0: first, last, class.",
         "const ClassRange kClassRanges[]", rows("{0x%X, 0x%X, %d}" % tuple(r) for r in class_ranges())),
        ("Full canonical decompositions, Unicode 9.0, without Hangul: code point, where in kDecomposed, how many.",
         "const Decomposition kDecompositions[]", rows("{0x%X, %d, %d}" % d for d in decompositions)),
        ("Full compatibility decompositions that differ from those, Unicode 9.0.",
         "const Decomposition kCompatibilities[]", rows("{0x%X, %d, %d}" % d for d in compatible)),
        ("Canonical compositions without Hangul: first, second, composed.",
         "const Composition kCompositions[]", rows("{0x%X, 0x%X, 0x%X}" % c for c in compositions())),
        ("", "const char32_t kDecomposed[]", rows("0x%X" % c for c in letters)),
        ("Marks (Mn, Mc, Me), Unicode 9.0.", "const CodePointRange kMarkRanges[]", pairs(marks)),
        ("Word characters (\\\\w of a regular expression), Unicode 16.".replace("\\\\", "\\"),
         "const CodePointRange kWordRanges[]", pairs(word)),
        ("Letters and numbers, Unicode 16.", "const CodePointRange kLetterRanges[]", pairs(letter)),
        ("", "const CodePointRange kNumberRanges[]", pairs(number)),
        ("What Unicode 15 and 16 added: first, last, category.", "const CategoryRange kNewCategoryRanges[]",
         rows('{0x%X, 0x%X, "%s"}' % (*r, name) for name, points in CATEGORIES_UNTIL_16.items()
              for r in ranges(points))),
        ("What parts or joins grapheme clusters, Unicode 17: first, last, class.",
         "const ClusterRange kClusterRanges[]",
         rows("{0x%X, 0x%X, ClusterClass::%s}" % tuple(r) for r in cluster_ranges())),
        ("Scripts, Unicode 9.0: first, last, number in tools/unicode_scripts.py.", "const ScriptRange kScriptRanges[]",
         rows("{0x%X, 0x%X, %d}" % r for r in script_ranges())),
    ]
    base = BASE_VERSION
    text = f"""\
// Generated by tools/generate_unicode_tables.py from Python's unicodedata {base} and the differences listed there,
// which the reference (Hugging Face tokenizers 0.22.2) has: categories of Unicode 8.0, decompositions of 9.0, lower
// case of 17. Read-only data.
#include "tokenizer/unicode/unicode_tables.h"

// clang-format off
namespace bert {{
"""
    for comment, declaration, body in arrays:
        text += ("\n// " + comment if comment else "") + f"\n{declaration} = {{\n{body}\n}};\n"
    for name, array in (("LowerRange", "kLowerRanges"), ("ClassRange", "kClassRanges"),
                        ("Decomposition", "kDecompositions"), ("Compatibility", "kCompatibilities"),
                        ("Composition", "kCompositions"), ("MarkRange", "kMarkRanges"), ("WordRange", "kWordRanges"),
                        ("LetterRange", "kLetterRanges"), ("NumberRange", "kNumberRanges"),
                        ("NewCategoryRange", "kNewCategoryRanges"), ("ClusterRange", "kClusterRanges"),
                        ("ScriptRange", "kScriptRanges")):
        text += f"\nconst size_t k{name}Count = std::size({array});"
    return text + "\n\n}  // namespace bert\n"


def main():
    if unicodedata.unidata_version != BASE_VERSION:
        version = unicodedata.unidata_version
        sys.exit(f"Unicode {version} in this Python's unicodedata, expected {BASE_VERSION} (Python 3.11)")
    text = generate()
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w", encoding="utf-8") as file:
            file.write(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
