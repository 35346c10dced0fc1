package io.penstock.bench.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/**
 * A filter that sends the headers of Penstock without a decision, to measure the cost of the
 * headers alone. Runs inside the application.
 */
public final class SameHeaders implements Filter {
  private static final String HEADERS = "bench.headers";

  private final String[][] headers;

  public SameHeaders() {
    this.headers =
        System.getProperty(HEADERS, "")
            .lines()
            .map(header -> header.split(": ", 2))
            .toArray(String[][]::new);
  }

  /** Returns the JVM options that add this class to an application. */
  static List<String> options(List<String> headers) throws IOException {
    return List.of("-D" + HEADERS + "=" + String.join("\n", headers), "-Dloader.path=" + jar());
  }

  /** Creates a jar with only this class, so that the application is otherwise unchanged. */
  private static Path jar() throws IOException {
    String name = SameHeaders.class.getName().replace('.', '/') + ".class";
    Path jar = Files.createTempFile("penstock", ".jar");
    jar.toFile().deleteOnExit();
    try (InputStream from = SameHeaders.class.getClassLoader().getResourceAsStream(name);
        JarOutputStream to = new JarOutputStream(Files.newOutputStream(jar))) {
      to.putNextEntry(new JarEntry(name));
      Objects.requireNonNull(from, name).transferTo(to);
    }
    return jar;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    HttpServletResponse httpResponse = (HttpServletResponse) response;
    for (String[] header : headers) {
      httpResponse.setHeader(header[0], header[1]);
    }
    chain.doFilter(request, response);
  }
}
