package io.penstock.policy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "io.penstock.policy",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule packages_all_haveNoCycle =
      slices().matching("io.penstock.policy.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule engine_anyClass_knowsNoFileAndNoWire =
      noClasses()
          .that()
          .resideInAPackage("io.penstock.policy")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.penstock.policy.load..",
              "io.penstock.policy.http..",
              "java.nio.file..",
              "com.fasterxml..",
              "com.nimbusds..",
              "org.yaml..");

  @ArchTest
  static final ArchRule tokens_outsideJwt_areNobodysBusiness =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.penstock.policy.jwt")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("com.nimbusds..");

  @ArchTest
  static final ArchRule yaml_outsideLoad_isNobodysBusiness =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.penstock.policy.load")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.yaml..");

  @ArchTest
  static final ArchRule policy_anyClass_knowsNoStoreInParticular =
      noClasses().should().dependOnClassesThat().resideInAnyPackage("io.penstock.redis..");

  @ArchTest
  static final ArchRule policy_anyClass_printsNothing = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
}
