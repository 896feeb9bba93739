package dev.edgeplane.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A cluster with its own objects, clock, faults and recorded requests. */
public final class Cluster implements AutoCloseable {
  private static final List<String> COLUMNS = List.of("VERB", "RESOURCE", "NAME", "CODE", "MS", "USER AGENT");

  private final Client server;
  private final Client client;
  private final String path;
  private final Map<String, Object> made;
  private Path kubeconfig;

  Cluster(Client server, String paths, Map<String, Object> made) {
    this.server = server;
    this.made = made;
    this.path = paths + "/" + name();
    this.client = new Client(url(), token(), (String) made.get("certificateAuthority"));
  }

  public String name() {
    return (String) made.get("name");
  }

  public String url() {
    return (String) made.get("server");
  }

  public String token() {
    return (String) made.get("token");
  }

  /** Returns a kubeconfig file, which only this user can read, until the cluster is deleted. */
  public synchronized Path kubeconfig() {
    try {
      if (kubeconfig == null) {
        var rights = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        kubeconfig = Files.createTempFile("edgeplane-", ".kubeconfig", rights);
        Files.writeString(kubeconfig, (String) made.get("kubeconfig"));
      }
      return kubeconfig;
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** Sends a request as the administrator. @param body maps, lists and values to send as JSON; null for none */
  public Response request(String method, String path, Object body) {
    return client.send(method, path, body == null ? null : Json.write(body), "application/json");
  }

  /**
   * Creates the objects in a file, or in all YAML and JSON files of a directory in the order of their names.
   *
   * @param values replace {@code ${NAME}} in the files
   */
  public void install(Path path, Map<String, String> values) {
    Manifests.in(path, values).forEach(manifest -> manifest.create(client));
  }

  public void install(Path path) {
    install(path, Map.of());
  }

  /** Returns the recorded requests that have these properties: {@code requests(Map.of("verb", "update"))}. */
  @SuppressWarnings("unchecked")
  public List<Map<String, Object>> requests(Map<String, Object> match) {
    var all = (List<Map<String, Object>>) server.require("GET", path + "/requests", null).json().get("requests");
    return all.stream().filter(one -> one.entrySet().containsAll(match.entrySet())).toList();
  }

  /** Returns the recorded requests as lines. */
  public String requestTable() {
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    for (var one : requests(Map.of())) {
      String what = one.get("resource").equals("") ? (String) one.get("path") : joined(one, "resource", "subresource");
      rows.add(List.of((String) one.get("verb"), what, joined(one, "namespace", "name"), String.valueOf(one.get("code")),
          String.valueOf(one.get("milliseconds")), (String) one.get("userAgent")));
    }
    int[] widths = IntStream.range(0, COLUMNS.size())
        .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0)).toArray();
    return rows.stream().map(row -> IntStream.range(0, widths.length)
        .mapToObj(column -> row.get(column) + " ".repeat(widths[column] - row.get(column).length()))
        .collect(Collectors.joining("  ")).stripTrailing()).collect(Collectors.joining("\n"));
  }

  private static String joined(Map<String, Object> request, String... fields) {
    return List.of(fields).stream().map(field -> (String) request.get(field)).filter(text -> !text.isEmpty())
        .collect(Collectors.joining("/"));
  }

  public void clearRequests() {
    server.require("DELETE", path + "/requests", null);
  }

  /** Injects a fault: {@code fail(Map.of("verb", "update", "resource", "pods", "code", 409, "times", 2))}. */
  public void fail(Map<String, Object> rule) {
    server.require("POST", path + "/faults", rule);
  }

  public void clearFaults() {
    server.require("DELETE", path + "/faults", null);
  }

  /** Closes the open watches of a resource, {@code Map.of("group", "apps", "resource", "deployments")}, or all: {@code Map.of()}. */
  public void closeWatches(Map<String, Object> which) {
    server.require("DELETE", path + "/watches", which);
  }

  /** Returns the time of the cluster's clock. */
  public Instant now() {
    return time(server.require("GET", path + "/clock", null));
  }

  /** Moves the clock, runs the work that is due then, and returns the time. */
  public Instant advance(Duration by) {
    return time(server.require("PUT", path + "/clock", Map.of("advance", by.toMillis())));
  }

  /** Stops the clock, and returns the time. */
  public Instant freeze() {
    return time(server.require("PUT", path + "/clock", Map.of("frozen", true)));
  }

  /** Lets a stopped clock go on, and returns the time. */
  public Instant unfreeze() {
    return time(server.require("PUT", path + "/clock", Map.of("frozen", false)));
  }

  private static Instant time(Response response) {
    return Instant.parse((String) response.json().get("now"));
  }

  /** Deletes the cluster. */
  @Override
  public void close() {
    try {
      if (kubeconfig != null) Files.deleteIfExists(kubeconfig);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    server.require("DELETE", path, null);
  }
}
