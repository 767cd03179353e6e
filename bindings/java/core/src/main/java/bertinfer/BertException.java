package bertinfer;

/** An error of the library. Its message is one line. */
public final class BertException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The kind of the error. */
  public enum Status {
    OK, INVALID_ARGUMENT, INVALID_FILE, NOT_FOUND, UNSUPPORTED, INVALID_TEXT, NON_FINITE, IO, BUFFER_TOO_SMALL,
    OUT_OF_MEMORY, INTERNAL, CANCELLED
  }

  private final Status status;

  BertException(Status status, String message) {
    super(message);
    this.status = status;
  }

  BertException(int status, String message) {
    this(status < Status.values().length ? Status.values()[status] : Status.INTERNAL, message);
  }

  public Status status() {
    return status;
  }
}
