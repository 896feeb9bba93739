package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.edgeplane.junit.Cluster;
import dev.edgeplane.junit.ClusterOptions;
import dev.edgeplane.junit.EdgeplaneExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EdgeplaneExtension.class)
class LampsTest {
  private static final Path DEFINITIONS = Path.of("src/test/resources/crds");
  private static final String LAMPS = "/apis/example.com/v1/namespaces/default/lamps";
  private static final Map<String, Object> LAMP = Map.of("apiVersion", "example.com/v1", "kind", "Lamp",
      "metadata", Map.of("name", "desk"), "spec", Map.of("watts", 40));

  /** Sets the status, and repeats after a conflict: the controller under test. */
  private static void switchOn(Cluster cluster, String name) {
    int status;
    do {
      Map<String, Object> lamp = new HashMap<>(cluster.request("GET", LAMPS + "/" + name, null).json());
      lamp.put("status", Map.of("isOn", true));
      status = cluster.request("PUT", LAMPS + "/" + name + "/status", lamp).status();
    } while (status == 409);
  }

  @Test
  void aConflictIsRepeated(Cluster cluster) {
    cluster.install(DEFINITIONS);
    assertEquals(201, cluster.request("POST", LAMPS, LAMP).status());
    cluster.fail(Map.of("verb", "update", "resource", "lamps", "subresource", "status", "code", 409));
    switchOn(cluster, "desk");
    var updates = cluster.requests(Map.of("verb", "update", "resource", "lamps", "subresource", "status"));
    assertEquals(List.of(409L, 200L), updates.stream().map(update -> update.get("code")).toList());
  }

  @Test
  @ClusterOptions(now = "2030-01-01T00:00:00Z", seed = 1)
  void aLampIsAsOldAsTheClockSays(Cluster cluster) {
    cluster.install(DEFINITIONS);
    cluster.freeze();
    Instant later = cluster.advance(Duration.ofDays(1));
    assertTrue(cluster.request("POST", LAMPS, LAMP).text().contains("\"creationTimestamp\":\"2030-01-02T"));
    assertEquals(later, cluster.now());
  }
}
