package bertinfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Finds the C library: the file that the property bertinfer.library names, or the jar's file for this system. */
final class NativeLibraries {
  static final Native LIBRARY = load();

  private NativeLibraries() {}

  private static Native load() {
    String given = System.getProperty("bertinfer.library", System.getenv("BERT_INFER_LIBRARY"));
    if (given != null) return new JnaNative(given);
    String name = "/natives/" + platform() + "/libbertinfer.so";
    try (InputStream in = NativeLibraries.class.getResourceAsStream(name)) {
      if (in == null) throw new UnsatisfiedLinkError("no " + name + " in the jar, expected it or bertinfer.library");
      Path file = Files.createTempFile("libbertinfer", ".so");
      try {
        Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
        return new JnaNative(file.toString());
      } finally {
        Files.delete(file); // the process keeps what it has mapped
      }
    } catch (IOException error) {
      throw new UnsatisfiedLinkError(name + ": " + error.getMessage());
    }
  }

  /** Returns a system's name such as "linux-x64-musl", because JNA's own names do not distinguish the C libraries. */
  static String platform() {
    String cpu = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x64";
    boolean isMusl;
    try {
      isMusl = Files.readString(Path.of("/proc/self/maps")).contains("ld-musl-");
    } catch (IOException error) {
      isMusl = false;
    }
    return "linux-" + cpu + (isMusl ? "-musl" : "-glibc");
  }
}
