package io.penstock.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** Handles the signals that operators send to the process. */
final class Signals {
  private Signals() {}

  /**
   * Replaces the default action of a signal by {@code action}. Does nothing if the platform has no
   * such signal. The JDK has no supported API for signals; every JDK has {@code sun.misc.Signal},
   * but compilers warn about its use, hence the reflection.
   *
   * @param name such as {@code HUP}
   */
  static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object signalHandler =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Object instance = signal.getConstructor(String.class).newInstance(name);
      signal.getMethod("handle", signal, handler).invoke(null, instance, signalHandler);
    } catch (InvocationTargetException noSuchSignal) {
      // Windows has no HUP. There, as everywhere, a changed policy file is reloaded.
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
