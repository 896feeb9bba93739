package dev.edgeplane.junit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Sends requests to an API server with a token. */
final class Client {
  private final String url;
  private final String token;
  private final HttpClient http;

  /** @param authority the certificate authority of the server, PEM */
  Client(String url, String token, String authority) {
    this.url = url;
    this.token = token;
    this.http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(trusting(authority)).build();
  }

  private static SSLContext trusting(String authority) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      byte[] pem = authority.getBytes(StandardCharsets.US_ASCII);
      int number = 0;
      for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem))) {
        store.setCertificateEntry("authority-" + number++, each);
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException error) {
      throw new IllegalStateException("the certificate authority of the server cannot be used", error);
    }
  }

  Response send(String method, String path, String body, String contentType) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
        .header("Authorization", "Bearer " + token).header("Accept", "application/json")
        .header("Content-Type", contentType).header("User-Agent", "edgeplane-junit")
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)).build();
    try {
      var response = http.send(request, BodyHandlers.ofString());
      return new Response(response.statusCode(), response.body());
    } catch (IOException error) {
      throw new UncheckedIOException(method + " " + path, error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(error);
    }
  }

  /** Sends a body as JSON, if there is one. @throws IllegalStateException if the request does not succeed */
  Response require(String method, String path, Object body) {
    return required(method, path, send(method, path, body == null ? null : Json.write(body), "application/json"));
  }

  static Response required(String method, String path, Response response) {
    if (response.status() < 300) return response;
    throw new IllegalStateException(method + " " + path + ": " + response.status() + " " + response.text());
  }
}
