package io.penstock.server.envoy;

import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.ReadFiles;
import io.penstock.policy.migration.ImportedPolicy;
import io.penstock.server.envoy.DescriptorLimit.LimitAlgorithm;
import java.nio.file.Path;
import java.util.List;

/** Translates configurations of envoyproxy/ratelimit to policies. */
public final class EnvoyImport {
  private EnvoyImport() {}

  /**
   * Translates files, and all files in folders, as one configuration. Several of them may configure
   * the same domain.
   *
   * @param fixedWindows whether limits are counted in aligned windows instead of token buckets
   * @throws PolicyException if the configuration is invalid
   */
  public static ImportedPolicy of(List<Path> filesOrFolders, boolean fixedWindows) {
    EnvoyConfig config = EnvoyConfigLoader.load(filesOrFolders, true, new ReadFiles());
    String origin = String.join(", ", filesOrFolders.stream().map(Path::toString).toList());
    return new PolicyTranslation(
            config, fixedWindows ? LimitAlgorithm.FIXED_WINDOW : LimitAlgorithm.TOKEN_BUCKET)
        .result(origin);
  }
}
