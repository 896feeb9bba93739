package dev.edgeplane.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The objects in files. The server parses them: only the fields that decide about the path are read here. */
final class Manifests {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{(\\w+)\\}");
  private static final Pattern METADATA = Pattern.compile("^metadata:.*\\n((?:[ \\t].*\\n|\\n)*)", Pattern.MULTILINE);

  private Manifests() {}

  /** One object. */
  record Manifest(String text, String apiVersion, String kind, String namespace) {
    @SuppressWarnings("unchecked")
    void create(Client client) {
      String base = (apiVersion.contains("/") ? "/apis/" : "/api/") + apiVersion;
      var resources = (List<Map<String, Object>>) client.require("GET", base, null).json().get("resources");
      var found = resources.stream()
          .filter(one -> one.get("kind").equals(kind) && !((String) one.get("name")).contains("/")).findFirst()
          .orElseThrow(() -> new IllegalStateException("no kind " + kind + " in " + apiVersion));
      String scope = found.get("namespaced").equals(true) ? "/namespaces/" + namespace : "";
      String path = base + scope + "/" + found.get("name");
      Client.required("POST", path, client.send("POST", path, text, "application/yaml"));
    }
  }

  static List<Manifest> in(Path path, Map<String, String> values) {
    List<Manifest> manifests = new ArrayList<>();
    try (Stream<Path> files = Files.isDirectory(path) ? Files.list(path).sorted() : Stream.of(path)) {
      for (Path file : files.filter(each -> each.toString().matches(".*\\.(ya?ml|json)")).toList()) {
        String text = PLACEHOLDER.matcher(Files.readString(file)).replaceAll(
            (MatchResult found) -> Matcher.quoteReplacement(values.getOrDefault(found.group(1), found.group())));
        if (text.stripLeading().startsWith("{")) manifests.add(ofJson(text));
        else for (String document : text.split("(?m)^---.*$")) if (!field(document, "kind").isEmpty()) manifests.add(of(document));
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return manifests;
  }

  @SuppressWarnings("unchecked")
  private static Manifest ofJson(String text) {
    var object = (Map<String, Object>) Json.parse(text);
    var metadata = (Map<String, Object>) object.getOrDefault("metadata", Map.of());
    String namespace = (String) metadata.getOrDefault("namespace", "default");
    return new Manifest(text, (String) object.get("apiVersion"), (String) object.get("kind"), namespace);
  }

  private static Manifest of(String document) {
    Matcher metadata = METADATA.matcher(document + "\n");
    String namespace = metadata.find() ? field(metadata.group(1).stripTrailing().stripIndent(), "namespace") : "";
    return new Manifest(document, field(document, "apiVersion"), field(document, "kind"), namespace.isEmpty() ? "default" : namespace);
  }

  private static String field(String text, String name) {
    Matcher found = Pattern.compile("^[\"']?" + name + "[\"']?: *[\"']?([^\"'\\s#,]+)", Pattern.MULTILINE).matcher(text);
    return found.find() ? found.group(1) : "";
  }
}
