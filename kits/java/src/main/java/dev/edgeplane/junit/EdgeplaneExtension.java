package dev.edgeplane.junit;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives each test a new cluster for its parameter of the type {@link Cluster}, and deletes it afterwards. If the test fails, the
 * requests of its cluster are printed. All tests of a run share one server, which ends with the run.
 */
public final class EdgeplaneExtension implements ParameterResolver, AfterTestExecutionCallback {
  private static final Namespace NAMESPACE = Namespace.create(EdgeplaneExtension.class);

  private record Running(Server server) implements CloseableResource {
    @Override
    public void close() {
      server.close();
    }
  }

  private record OfTest(Cluster cluster) implements CloseableResource {
    @Override
    public void close() {
      cluster.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Cluster.class;
  }

  @Override
  public Cluster resolveParameter(ParameterContext parameter, ExtensionContext test) {
    Server server = test.getRoot().getStore(NAMESPACE)
        .getOrComputeIfAbsent(Running.class, key -> new Running(Server.start()), Running.class).server();
    return test.getStore(NAMESPACE)
        .getOrComputeIfAbsent(OfTest.class, key -> new OfTest(server.cluster(options(test))), OfTest.class).cluster();
  }

  private static Map<String, Object> options(ExtensionContext test) {
    Map<String, Object> options = new LinkedHashMap<>();
    ClusterOptions given = test.getRequiredTestMethod().getAnnotation(ClusterOptions.class);
    if (given == null) return options;
    if (given.seed() != 0) options.put("seed", given.seed());
    if (!given.now().isEmpty()) options.put("now", given.now());
    return options;
  }

  @Override
  public void afterTestExecution(ExtensionContext test) {
    OfTest made = test.getStore(NAMESPACE).get(OfTest.class, OfTest.class);
    if (made == null || test.getExecutionException().isEmpty()) return;
    System.err.println("requests of cluster " + made.cluster().name() + ":\n" + made.cluster().requestTable());
  }
}
