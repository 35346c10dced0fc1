package io.penstock.server.envoy;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.ReadFiles;
import java.nio.file.Path;
import java.util.List;

/**
 * A policy that is equivalent to a configuration of envoyproxy/ratelimit. Immutable.
 *
 * @param policy the text of the policy, in YAML
 * @param problems what has no equivalent, and the warnings of the configuration
 */
public record EnvoyImport(String policy, List<Problem> problems) {
  public EnvoyImport {
    problems = List.copyOf(problems);
  }

  /**
   * Translates files, and all files in folders, as one configuration. Several of them may configure
   * the same domain.
   *
   * @throws PolicyException if the configuration is invalid
   */
  public static EnvoyImport of(List<Path> filesOrFolders) {
    EnvoyConfig config = EnvoyConfigLoader.load(filesOrFolders, true, new ReadFiles());
    String origin = String.join(", ", filesOrFolders.stream().map(Path::toString).toList());
    return new PolicyTranslation(config).result(origin);
  }
}
