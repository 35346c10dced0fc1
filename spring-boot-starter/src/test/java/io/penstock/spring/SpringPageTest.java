package io.penstock.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.testing.ManualClock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Compiles and uses the section of docs/spring.md about observers and tests. */
class SpringPageTest {
  private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  @Test
  void observersAndTests_configurations_replaceTheDefaults() throws Exception {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            "rules: [{name: all, limit_keys: [], rate: 5/min, burst: 1}]");
    compile();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      new WebApplicationContextRunner()
          .withClassLoader(loader)
          .withConfiguration(AutoConfigurations.of(PenstockAutoConfiguration.class))
          .withUserConfiguration(
              loader.loadClass("docs.Denials"), loader.loadClass("docs.ManualTime"))
          .withPropertyValues("penstock.policy=" + policy)
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                PolicyEngine engine = context.getBean(PolicyEngine.class);
                ExplicitRequest request = ExplicitRequest.builder().build();
                assertThat(engine.decide(request).allowed()).isTrue();
                assertThat(engine.decide(request).allowed()).isFalse();
                assertThat(context.getBean("denied")).hasToString("1");
                context.getBean(ManualClock.class).advance(Duration.ofSeconds(12));
                assertThat(engine.decide(request).allowed()).isTrue();
              });
    }
  }

  private void compile() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "spring.md"));
    int start = page.indexOf("\n## Observers and tests\n");
    String section = page.substring(start, page.indexOf("\n## ", start + 1));
    List<String> blocks = JAVA.matcher(section).results().map(block -> block.group(1)).toList();
    assertThat(blocks).hasSize(2);
    Path source =
        Files.writeString(
            folder.resolve("Denials.java"),
            """
            package docs;
            import io.penstock.Store;
            import io.penstock.inprocess.InProcessStore;
            import io.penstock.policy.PolicyObserver;
            import io.penstock.testing.ManualClock;
            import java.util.concurrent.atomic.LongAdder;
            import org.springframework.boot.test.context.TestConfiguration;
            import org.springframework.context.annotation.*;
            """
                + String.join("", blocks)
                    .replace(
                        "@Bean\n  PolicyObserver",
                        "@Bean LongAdder denied() { return denied; }\n  @Bean\n  PolicyObserver"));
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                errors,
                errors,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());
    assertThat(status).as(errors.toString(UTF_8)).isZero();
  }
}
