import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads valid JSON into maps, lists, strings, doubles, booleans and null. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object read(String text) {
    return new Json(text).value();
  }

  private void space() {
    while (at < text.length() && text.charAt(at) <= ' ') ++at;
  }

  private boolean take(char expected) {
    space();
    if (text.charAt(at) != expected) return false;
    ++at;
    return true;
  }

  private Object value() {
    if (take('{')) {
      Map<String, Object> map = new LinkedHashMap<>();
      while (!take('}')) {
        take(',');
        space();
        String name = string();
        take(':');
        map.put(name, value());
      }
      return map;
    }
    if (take('[')) {
      List<Object> list = new ArrayList<>();
      while (!take(']')) {
        take(',');
        list.add(value());
      }
      return list;
    }
    if (text.charAt(at) == '"') return string();
    int begin = at;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) ++at;
    String word = text.substring(begin, at);
    return switch (word) {
      case "null" -> null;
      case "true" -> true;
      case "false" -> false;
      default -> Double.valueOf(word);
    };
  }

  private String string() {
    StringBuilder made = new StringBuilder();
    for (++at; text.charAt(at) != '"'; ++at) {
      char unit = text.charAt(at);
      if (unit == '\\') {
        unit = text.charAt(++at);
        if (unit == 'u') {
          made.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
          at += 4;
          continue;
        }
        int place = "bfnrt".indexOf(unit);
        if (place >= 0) unit = "\b\f\n\r\t".charAt(place);
      }
      made.append(unit);
    }
    ++at;
    return made.toString();
  }
}
