package io.penstock.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** The signals by which operators speak to a process. */
final class Signals {
  private Signals() {}

  /**
   * Calls {@code action} at each signal of that name, where there is one, instead of what it does
   * by itself. The JDK has no API of its own for signals; that of {@code sun.misc} is supported by
   * every one, but compilers warn of its use.
   *
   * @param name such as {@code HUP}
   */
  static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object calling =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Object named = signal.getConstructor(String.class).newInstance(name);
      signal.getMethod("handle", signal, handler).invoke(null, named, calling);
    } catch (InvocationTargetException noSuchSignal) {
      // Windows has no HUP: there, the policy is reloaded when its file changes, as everywhere.
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
