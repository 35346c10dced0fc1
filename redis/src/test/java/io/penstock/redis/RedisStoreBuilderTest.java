package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.metrics.OutageLog;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisStoreBuilderTest {
  @Test
  void observer_notSet_logsOutagesOfEachStore() {
    RedisStoreBuilder builder = RedisStore.builder();

    assertThat(builder.observer()).isInstanceOf(OutageLog.class).isNotSameAs(builder.observer());
  }

  @Test
  void observer_none_logsNothing() {
    assertThat(RedisStore.builder().observer(RedisObserver.NONE).observer())
        .isSameAs(RedisObserver.NONE);
  }

  @Test
  void observer_notSetWithoutSlf4j_isNone() throws Exception {
    try (URLClassLoader loader = withoutSlf4j()) {
      Object builder = call(loader.loadClass(RedisStore.class.getName()), "builder", null);
      for (int i = 0; i < 2; i++) {
        Object observer =
            call(loader.loadClass(RedisStoreBuilder.class.getName()), "observer", builder);
        Class<?> type = loader.loadClass(RedisObserver.class.getName());
        assertThat(observer).isSameAs(type.getField("NONE").get(null));
      }
    }
  }

  private static Object call(Class<?> type, String name, Object target) throws Exception {
    Method method = type.getDeclaredMethod(name);
    method.setAccessible(true);
    return method.invoke(target);
  }

  /** Loads the same classes again, from a class path without SLF4J. */
  private static URLClassLoader withoutSlf4j() throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("slf4j")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }
}
