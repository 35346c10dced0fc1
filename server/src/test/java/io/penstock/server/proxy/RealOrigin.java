package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.junit.jupiter.api.Assumptions.abort;

import io.penstock.testing.Ports;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A real server as the origin, which serves {@code /login} with {@code LOGIN} and nothing else. */
final class RealOrigin implements AutoCloseable {
  private static final String NGINX =
      """
      daemon off;
      worker_processes 1;
      pid %1$s/nginx.pid;
      error_log %1$s/error.log;
      events {}
      http {
        access_log off;
        client_body_temp_path %1$s/body;
        proxy_temp_path %1$s/proxy;
        fastcgi_temp_path %1$s/fastcgi;
        uwsgi_temp_path %1$s/uwsgi;
        scgi_temp_path %1$s/scgi;
        server {
          listen 127.0.0.1:%2$d;
          location = /login { return 200 LOGIN; }
          location / { return 404; }
        }
      }
      """;
  private static final String CADDY =
      """
      {
      	admin off
      	auto_https off
      }
      http://:%d {
      	bind 127.0.0.1
      	handle /login {
      		respond LOGIN
      	}
      	handle {
      		respond 404
      	}
      }
      """;

  private final int port;
  private final AutoCloseable running;

  private RealOrigin(int port, AutoCloseable running) {
    this.port = port;
    this.running = running;
  }

  /** Starts an origin by name; if it isn't installed, the test is skipped. */
  static RealOrigin of(String name, Path folder) throws Exception {
    return switch (name) {
      case "nginx" -> nginx(folder);
      case "caddy" -> caddy(folder);
      case "tomcat" -> tomcat(folder);
      default -> throw new IllegalArgumentException(name);
    };
  }

  static RealOrigin nginx(Path folder) throws IOException, InterruptedException {
    int port = Ports.free();
    Path config = folder.resolve("nginx.conf");
    String program = onPath("nginx");
    Files.writeString(config, NGINX.formatted(folder, port));
    return process(folder, port, program, "-e", folder + "/error.log", "-c", config.toString());
  }

  static RealOrigin caddy(Path folder) throws IOException, InterruptedException {
    int port = Ports.free();
    Path config = folder.resolve("Caddyfile");
    String program = onPath("caddy");
    Files.writeString(config, CADDY.formatted(port));
    return process(
        folder, port, program, "run", "--adapter", "caddyfile", "--config", config.toString());
  }

  static RealOrigin tomcat(Path folder) throws LifecycleException {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir(folder.toString());
    Connector connector = new Connector();
    connector.setPort(0);
    connector.setProperty("address", "127.0.0.1");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", folder.toString());
    Tomcat.addServlet(context, "login", new LoginServlet());
    context.addServletMappingDecoded("/login", "login");
    tomcat.start();
    return new RealOrigin(
        connector.getLocalPort(),
        () -> {
          tomcat.stop();
          tomcat.destroy();
        });
  }

  private static RealOrigin process(Path folder, int port, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(List.of(command))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("origin.log").toFile());
    builder.environment().put("HOME", folder.toString());
    Process process = builder.start();
    RealOrigin origin = new RealOrigin(port, () -> end(process));
    await().until(() -> isListening(port));
    return origin;
  }

  private static void end(Process process) throws InterruptedException {
    process.destroy();
    if (!process.waitFor(1, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
  }

  private static boolean isListening(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }

  private static String onPath(String name) {
    // Debian installs servers in sbin, which is only in root's PATH.
    String path = System.getenv("PATH") + File.pathSeparator + "/usr/sbin";
    for (String folder : path.split(File.pathSeparator, -1)) {
      if (Path.of(folder, name).toFile().canExecute()) {
        return Path.of(folder, name).toString();
      }
    }
    return abort(name + " is not on the PATH");
  }

  int port() {
    return port;
  }

  String url() {
    return "http://127.0.0.1:" + port;
  }

  @Override
  public void close() throws IOException {
    try {
      running.close();
    } catch (Exception e) {
      throw new IOException("the origin does not end", e);
    }
  }

  /** Responds with LOGIN and the session in the path. */
  private static final class LoginServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.getWriter().print("LOGIN session " + request.getRequestedSessionId());
    }
  }
}
