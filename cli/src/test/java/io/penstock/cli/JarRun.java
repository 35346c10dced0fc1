package io.penstock.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that runs the jar, with its output redirected to files. */
final class JarRun implements AutoCloseable {
  static final Path JAR = Path.of("target", "penstock.jar").toAbsolutePath();
  static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  private final Process process;
  private final Path out;
  private final Path err;

  private JarRun(Process process, Path out, Path err) {
    this.process = process;
    this.out = out;
    this.err = err;
  }

  /**
   * Starts {@code java -jar penstock.jar}.
   *
   * @param folder its working directory
   */
  static JarRun start(Path folder, List<String> args) {
    List<String> command = new ArrayList<>(List.of(JAVA.toString(), "-jar", JAR.toString()));
    command.addAll(args);
    return startCommand(folder, command);
  }

  static JarRun startCommand(Path folder, List<String> command) {
    try {
      Path out = Files.createTempFile(folder, "out", ".txt");
      Path err = Files.createTempFile(folder, "err", ".txt");
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("PENSTOCK_"));
      return new JarRun(builder.start(), out, err);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for the process to exit and returns its status. */
  int await() {
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS)) {
        throw new AssertionError("still running; " + err());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  void signal(String name) {
    try {
      int status =
          new ProcessBuilder("kill", "-" + name, "" + process.pid()).inheritIO().start().waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill -" + name + " failed: " + status);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  String out() {
    return read(out);
  }

  String err() {
    return read(err);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    await();
  }
}
