package io.penstock.cli;

import picocli.CommandLine.IVersionProvider;

/** The versions of Penstock and of the JVM. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
      "penstock " + (version == null ? "(not packaged)" : version),
      "java " + Runtime.version() + ", " + System.getProperty("java.vm.name")
    };
  }
}
