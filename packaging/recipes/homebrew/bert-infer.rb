# The program bert-infer, without its server. Its built-in model is in it.
class BertInfer < Formula
  desc "BERT encoders: the reference's numbers, the same bits everywhere"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "minizip"
  depends_on "oniguruma"
  depends_on "zstd"

  uses_from_macos "zlib"

  def install
    # Oniguruma is loaded at run time, from where the program's own path leads to.
    system "cmake", "-S", ".", "-B", "build",
           "-DBERT_INFER_SERVER=OFF", "-DBERT_INFER_TESTS=OFF",
           "-DCMAKE_INSTALL_RPATH=#{HOMEBREW_PREFIX}/lib", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/bert-infer --version")
    found = JSON.parse(shell_output("#{bin}/bert-infer embed --format json 'A text'"))
    assert_equal 160, found["embedding"].length
  end
end
