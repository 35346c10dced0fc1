package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Store;
import io.penstock.servlet.SlowStore;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.http.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.DispatcherServletAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.HttpEncodingAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.ServletWebServerFactoryAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** Tests an MVC application whose filters bind state to their thread, with a slow store. */
class LateFilterTest {
  private static final ThreadLocal<String> USER = new ThreadLocal<>();
  private static final String RULES =
      """
      rules:
        - {name: address, limit_keys: ["ip:address"], rate: 1/h, burst: 9}
        - {name: user, limit_keys: [user_id], rate: 1/h, burst: 2}
      """;

  @TempDir private Path folder;

  @Test
  void get_earlierFilterThatSkipsLaterDispatches_isNotLost() throws Exception {
    try (ConfigurableApplicationContext application = start()) {
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> reply = get(application);
        assertThat(reply.statusCode()).isEqualTo(200);
        assertThat(reply.body()).isEqualTo("ann");
      }
      assertThat(get(application).statusCode()).isEqualTo(429);
      // The early filter, before all of them, blocks no thread.
      assertThat(application.getBean(AsyncDispatches.class).getAsBoolean()).isTrue();
    }
  }

  private ConfigurableApplicationContext start() throws IOException {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), RULES);
    return new SpringApplicationBuilder(Application.class)
        .run(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--spring.main.banner-mode=off",
            "--penstock.policy=" + policy);
  }

  private static HttpResponse<String> get(ConfigurableApplicationContext application)
      throws IOException, InterruptedException {
    String port = application.getEnvironment().getProperty("local.server.port");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/user"))
            .timeout(Duration.ofSeconds(20))
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({
    ServletWebServerFactoryAutoConfiguration.class,
    DispatcherServletAutoConfiguration.class,
    HttpEncodingAutoConfiguration.class,
    HttpMessageConvertersAutoConfiguration.class,
    WebMvcAutoConfiguration.class,
    PenstockAutoConfiguration.class,
    PenstockServletAutoConfiguration.class
  })
  static class Application {
    @Bean
    Store store() {
      return new SlowStore();
    }

    @Bean
    Users users() {
      return new Users();
    }

    @Bean
    UserController controller() {
      return new UserController();
    }
  }

  /** A typical filter, like those that read tokens or log bodies. */
  static class Users extends OncePerRequestFilter implements Ordered {
    @Override
    public int getOrder() {
      return 0;
    }

    @Override
    protected void doFilterInternal(
        HttpServletRequest request, HttpServletResponse response, FilterChain chain)
        throws ServletException, IOException {
      ContentCachingResponseWrapper cached = new ContentCachingResponseWrapper(response);
      USER.set("ann");
      request.setAttribute("user_id", "ann");
      try {
        chain.doFilter(request, cached);
        cached.copyBodyToResponse();
      } finally {
        USER.remove();
      }
    }
  }

  @RestController
  static class UserController {
    @GetMapping("/user")
    String user() {
      return String.valueOf(USER.get());
    }
  }
}
