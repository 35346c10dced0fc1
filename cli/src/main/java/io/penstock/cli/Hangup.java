package io.penstock.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** The signal by which operators ask a process to read its files again. */
final class Hangup {
  private Hangup() {}

  /**
   * Calls {@code action} at each SIGHUP, where there is one. The JDK has no API of its own for
   * signals; that of {@code sun.misc} is supported by every one, but compilers warn of its use.
   */
  static void handle(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object calling =
          Proxy.newProxyInstance(
              Hangup.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, args) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      Object hangup = signal.getConstructor(String.class).newInstance("HUP");
      signal.getMethod("handle", signal, handler).invoke(null, hangup, calling);
    } catch (InvocationTargetException noSuchSignal) {
      // Windows has none: there, the policy is reloaded when its file changes, as everywhere.
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
