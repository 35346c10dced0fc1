package io.penstock.servlet;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** An embedded Tomcat with filters before a servlet that returns {@code tea}. */
final class Container implements AutoCloseable {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Tomcat tomcat = new Tomcat();
  private final Context context;
  private int filters;

  Container(Path folder, int threads) {
    this(folder, threads, "");
  }

  Container(Path folder, int threads, String contextPath) {
    tomcat.setBaseDir(folder.toString());
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    connector.setProperty("maxThreads", "" + threads);
    connector.setProperty("minSpareThreads", "" + threads);
    tomcat.setConnector(connector);
    context = tomcat.addContext(contextPath, folder.toString());
    Tomcat.addServlet(context, "tea", new TeaServlet()).setAsyncSupported(true);
    context.addServletMappingDecoded("/*", "tea");
  }

  Container with(Filter filter, EnumSet<DispatcherType> types) {
    FilterDef definition = new FilterDef();
    definition.setFilterName("filter" + filters++);
    definition.setFilter(filter);
    definition.setAsyncSupported("true");
    context.addFilterDef(definition);
    FilterMap map = new FilterMap();
    map.setFilterName(definition.getFilterName());
    map.addURLPattern("/*");
    types.forEach(type -> map.setDispatcher(type.name()));
    context.addFilterMap(map);
    return this;
  }

  Container start() {
    try {
      tomcat.start();
      return this;
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  CompletableFuture<HttpResponse<String>> getLater(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> get(String path, String... headers) {
    return getLater(path, headers).join();
  }

  @Override
  public void close() {
    try {
      tomcat.stop();
      tomcat.destroy();
    } catch (LifecycleException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class TeaServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
      try {
        response.getWriter().write("tea");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
