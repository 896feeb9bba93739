package dev.edgeplane.junit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A running server. Its clusters are those of tests. */
public final class Server implements AutoCloseable {
  private static final String PATHS = "/edgeplane/testing/v1/clusters";

  private final Client client;
  private final Process process;
  private final Path directory;

  private Server(Path kubeconfig, Process process, Path directory) throws IOException {
    String text = Files.readString(kubeconfig);
    String authority = new String(Base64.getDecoder().decode(valueOf(text, "certificate-authority-data")));
    this.client = new Client(valueOf(text, "server"), valueOf(text, "token"), authority);
    this.process = process;
    this.directory = directory;
  }

  /**
   * Starts {@code edgeplane start --testing} without data: the command on the PATH, or that of the environment variable EDGEPLANE.
   * Uses the running server of EDGEPLANE_KUBECONFIG instead, if that is set.
   *
   * @throws IllegalStateException if it does not start
   */
  public static Server start(String... arguments) {
    try {
      String running = System.getenv("EDGEPLANE_KUBECONFIG");
      if (running != null && !running.isEmpty()) return new Server(Path.of(running), null, null);
      return run(List.of(arguments));
    } catch (IOException error) {
      throw new UncheckedIOException("edgeplane does not start", error);
    }
  }

  private static Server run(List<String> arguments) throws IOException {
    Path directory = Files.createTempDirectory("edgeplane-junit-");
    Path kubeconfig = directory.resolve("kubeconfig");
    List<String> command = new ArrayList<>(List.of(System.getenv().getOrDefault("EDGEPLANE", "edgeplane").split(" +")));
    command.addAll(List.of("start", "--testing", "--ephemeral", "--port", "0", "--kubeconfig", kubeconfig.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    // A run of tests that is killed ends its server.
    builder.environment().put("EDGEPLANE_END_WITH_PARENT", "1");
    Process process = startIn(builder);
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
    BufferedReader output = process.inputReader();
    for (String line; (line = output.readLine()) != null; ) {
      // The last line, printed when the server is ready.
      if (line.contains("Stop it with")) return new Server(kubeconfig, process, directory);
    }
    throw new IllegalStateException(String.join(" ", command) + " does not start");
  }

  /** Starts a process in a thread that stays: the kernel ends it with its thread, and those of tests may be short-lived. */
  private static Process startIn(ProcessBuilder builder) throws IOException {
    CompletableFuture<Process> started = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        Process process = builder.start();
        started.complete(process);
        process.waitFor();
      } catch (IOException error) {
        started.completeExceptionally(error);
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
    }, "edgeplane");
    thread.setDaemon(true);
    thread.start();
    try {
      return started.join();
    } catch (CompletionException error) {
      throw new IOException(error.getCause());
    }
  }

  private static String valueOf(String kubeconfig, String key) {
    Matcher found = Pattern.compile(key + "\"?: *\"?([^\",\\s]+)").matcher(kubeconfig);
    return found.find() ? found.group(1) : "";
  }

  /** Makes a cluster. {@code seed}, and {@code now} as a text in RFC 3339, may be given. */
  public Cluster cluster(Map<String, Object> options) {
    return new Cluster(client, PATHS, client.require("POST", PATHS, options).json());
  }

  /** Stops the server, unless it was running before. */
  @Override
  public void close() {
    if (process == null) return;
    process.destroy();
    try {
      process.waitFor();
      Files.deleteIfExists(directory.resolve("kubeconfig"));
      Files.deleteIfExists(directory);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
