package dev.edgeplane.junit;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads and writes JSON, because the JDK has nothing for it. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  /** Parses a text that a server has written. @throws IllegalArgumentException if it is no JSON */
  static Object parse(String text) {
    Json json = new Json(text);
    Object value = json.value();
    if (json.next() != 0) throw json.unexpected();
    return value;
  }

  static String write(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream().map(entry -> write(entry.getKey()) + ":" + write(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    }
    if (value instanceof List<?> list) return list.stream().map(Json::write).collect(Collectors.joining(",", "[", "]"));
    return value instanceof String string ? quoted(string) : String.valueOf(value);
  }

  private static String quoted(String string) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char each : string.toCharArray()) {
      if (each == '"' || each == '\\') quoted.append('\\').append(each);
      else if (each < ' ') quoted.append(String.format("\\u%04x", (int) each));
      else quoted.append(each);
    }
    return quoted.append('"').toString();
  }

  /** Skips white space, and returns the next character; 0 at the end. */
  private char next() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean skip(char wanted) {
    if (next() != wanted) return false;
    at++;
    return true;
  }

  private void require(char wanted) {
    if (!skip(wanted)) throw unexpected();
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException("no JSON at " + at + ": " + text.substring(Math.min(at, text.length())));
  }

  private Object value() {
    return switch (next()) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      default -> word();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    require('{');
    if (skip('}')) return object;
    do {
      next();
      String name = string();
      require(':');
      object.put(name, value());
    } while (skip(','));
    require('}');
    return object;
  }

  private List<Object> list() {
    List<Object> list = new ArrayList<>();
    require('[');
    if (skip(']')) return list;
    do list.add(value());
    while (skip(','));
    require(']');
    return list;
  }

  private String string() {
    require('"');
    StringBuilder string = new StringBuilder();
    for (char each; (each = text.charAt(at++)) != '"'; ) string.append(each == '\\' ? escaped() : each);
    return string.toString();
  }

  private char escaped() {
    char each = text.charAt(at++);
    return switch (each) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> (char) Integer.parseInt(text.substring(at, at += 4), 16);
      default -> each;
    };
  }

  private Object word() {
    int start = at;
    while (at < text.length() && ",]} \n\t\r".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> null;
      default -> word.matches("-?\\d{1,18}") ? (Object) Long.valueOf(word) : Double.valueOf(word);
    };
  }
}
