#include "engine/base/hash/sha256.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::string of(const std::string& text) { return sha256(std::as_bytes(std::span(text))); }

// The expected digests are those of FIPS 180-2, appendix B, and for the empty message of NIST's examples.
TEST(Sha256, MatchesThePublishedExamples) {
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, EndsWhenItsCallerSaysSo) {
  const std::string text(std::string::size_type{9} << 20, 'a');
  int asked = 0;
  const auto goes_on = [&] { return ++asked < 2; };
  EXPECT_EQ(test::error_of(ErrorCode::kCancelled, [&] { sha256(std::as_bytes(std::span(text)), goes_on); }),
            "cancelled");
  EXPECT_EQ(asked, 2);
}

// The expected digests are those of Python's hashlib, for lengths around those of blocks.
TEST(Sha256, PadsMessagesOfEveryLength) {
  EXPECT_EQ(of(std::string(55, 'x')), "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
  EXPECT_EQ(of(std::string(56, 'x')), "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
  EXPECT_EQ(of(std::string(63, 'x')), "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
  EXPECT_EQ(of(std::string(64, 'x')), "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
}

// The expected digests are those of RFC 4231's test cases 1, 2 and 6. Case 6 has a key longer than a block.
TEST(Hmac, GivesTheDigestsOfTheStandard) {
  EXPECT_EQ(hmac_sha256(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

}  // namespace

}  // namespace bert
