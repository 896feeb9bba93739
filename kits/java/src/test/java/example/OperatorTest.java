package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.edgeplane.junit.Cluster;
import dev.edgeplane.junit.EdgeplaneExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests the program OPERATOR, which has webhooks, with its definition and their configurations in OPERATOR_CONFIG:
 * test/clients/operator.
 */
@ExtendWith(EdgeplaneExtension.class)
@EnabledIfEnvironmentVariable(named = "OPERATOR", matches = ".+")
class OperatorTest {
  private static final Pattern VALUES = Pattern.compile("\"(URL|CA)\":\"([^\"]*)\"");

  private static String lamps(String version) {
    return "/apis/example.com/" + version + "/namespaces/default/lamps";
  }

  private static Map<String, Object> lamp(String version, String name, Map<String, Object> spec) {
    return Map.of("apiVersion", "example.com/" + version, "kind", "Lamp", "metadata", Map.of("name", name), "spec", spec);
  }

  /** Installs the configuration with the operator's values: the URL of the webhooks, and their certificate authority. */
  private static void install(Cluster cluster, BufferedReader lines) throws IOException {
    Map<String, String> values = new java.util.HashMap<>();
    Matcher found = VALUES.matcher(lines.readLine());
    while (found.find()) values.put(found.group(1), found.group(2));
    cluster.install(Path.of(System.getenv("OPERATOR_CONFIG")), values);
    assertEquals("ready", lines.readLine());
  }

  @Test
  void itConvertsDefaultsAndValidatesLampsAndSwitchesEachOnByOneUpdate(Cluster cluster) throws Exception {
    Process operator = new ProcessBuilder(System.getenv("OPERATOR"), "lamps", cluster.kubeconfig().toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader lines = operator.inputReader()) {
      install(cluster, lines);
      assertEquals(201, cluster.request("POST", lamps("v1beta1"), lamp("v1beta1", "desk", Map.of("power", "40W"))).status());
      var refused = cluster.request("POST", lamps("v1"), lamp("v1", "hall", Map.of("watts", -1)));
      assertEquals(403, refused.status());
      assertTrue(refused.text().contains("denied the request: watts must not be negative"));
      Map<String, Object> desk;
      do desk = cluster.request("GET", lamps("v1") + "/desk", null).json();
      while (!Map.of("isOn", true).equals(desk.get("status")));
      assertEquals(Map.of("watts", 40L, "colour", "white"), desk.get("spec"));
      var updates = cluster.requests(Map.of("verb", "update", "resource", "lamps", "subresource", "status"));
      assertEquals(List.of(200L), updates.stream().map(update -> update.get("code")).toList());
    } finally {
      operator.destroy();
      operator.waitFor();
    }
  }
}
