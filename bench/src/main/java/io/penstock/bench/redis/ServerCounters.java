package io.penstock.bench.redis;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The output of INFO. Immutable. */
record ServerCounters(Map<String, String> fields) {
  ServerCounters {
    fields = Map.copyOf(fields);
  }

  static ServerCounters parse(String info) {
    return new ServerCounters(
        info.lines()
            .filter(line -> line.indexOf(':') > 0)
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf(':')),
                    line -> line.substring(line.indexOf(':') + 1).strip(),
                    (first, second) -> first)));
  }

  Optional<String> text(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** Returns how often the commands ran, called by clients and by scripts. */
  long calls(Set<String> commands) {
    return commands.stream().mapToLong(command -> (long) statistic(command, "calls")).sum();
  }

  /** Returns the total run time of the commands. */
  long micros(Set<String> commands) {
    return commands.stream().mapToLong(command -> (long) statistic(command, "usec")).sum();
  }

  private double statistic(String command, String name) {
    for (String pair : fields.getOrDefault("cmdstat_" + command, "").split(",", -1)) {
      if (pair.startsWith(name + "=")) {
        return Double.parseDouble(pair.substring(name.length() + 1));
      }
    }
    return 0;
  }

  /** Returns the CPU time of the process. */
  double cpuMicros() {
    return 1e6 * (number("used_cpu_user") + number("used_cpu_sys"));
  }

  /** Returns the bytes that the server received from clients and sent to them. */
  double wireBytes() {
    return number("total_net_input_bytes") + number("total_net_output_bytes");
  }

  double usedMemory() {
    return number("used_memory");
  }

  private double number(String name) {
    return text(name)
        .map(Double::parseDouble)
        .orElseThrow(() -> new IllegalStateException("missing in INFO: " + name));
  }
}
