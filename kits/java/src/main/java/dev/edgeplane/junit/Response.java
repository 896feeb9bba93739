package dev.edgeplane.junit;

import java.util.Map;

/** A response with its body as text. */
public record Response(int status, String text) {
  /** Returns the body, which must be a JSON object: objects are maps, lists are lists, numbers are Long or Double. */
  @SuppressWarnings("unchecked")
  public Map<String, Object> json() {
    return (Map<String, Object>) Json.parse(text);
  }
}
