package io.penstock.cli.deploy;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code deploy/docker/compose.yaml}.
 *
 * @param services by their names
 */
public record Compose(Map<String, Tree> services) {
  /** What {@code ${NAME:?why}} stands for in tests. */
  private static final String SECRET = "a-secret-for-tests-only";

  public static Compose read() {
    return new Compose(DeployFile.yaml("docker/compose.yaml").get(0).at("services").entries());
  }

  /** The services that are Penstock. */
  public List<String> nodes() {
    return services.keySet().stream().filter(name -> name.startsWith("penstock-")).toList();
  }

  /** The variables of a service. */
  public Map<String, String> variables(String service) {
    Map<String, String> variables = new TreeMap<>();
    services
        .get(service)
        .at("environment")
        .entries()
        .forEach(
            (name, value) ->
                variables.put(name, value.text().replaceAll("\\$\\{[A-Z_]+:\\?[^}]+}", SECRET)));
    return variables;
  }
}
