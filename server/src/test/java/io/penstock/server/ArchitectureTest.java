package io.penstock.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(
    packages = "io.penstock.server",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule decisionDoor_anyClass_knowsNoOtherDoor =
      noClasses()
          .that()
          .resideInAPackage("io.penstock.server.decision..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.penstock.server.admin..", "io.penstock.server.proxy..");

  @ArchTest
  static final ArchRule adminDoor_anyClass_knowsNoOtherDoor =
      noClasses()
          .that()
          .resideInAPackage("io.penstock.server.admin..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.penstock.server.decision..", "io.penstock.server.proxy..");

  @ArchTest
  static final ArchRule envoyListener_anyClass_knowsNoOtherListener =
      noClasses()
          .that()
          .resideInAPackage("io.penstock.server.envoy..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.penstock.server.admin..",
              "io.penstock.server.decision..",
              "io.penstock.server.proxy..");

  @ArchTest
  static final ArchRule envoyListener_anyOtherClass_doesNotKnowItsMessages =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.penstock.server.envoy..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.penstock.server.envoy.proto..", "com.google.protobuf..");

  @ArchTest
  static final ArchRule whatDoorsShare_anyClass_knowsNoDoor =
      noClasses()
          .that()
          .resideInAnyPackage("io.penstock.server.http..", "io.penstock.server.log..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.penstock.server.admin..",
              "io.penstock.server.decision..",
              "io.penstock.server.proxy..",
              "io.penstock.server.metrics..");

  @ArchTest
  static final ArchRule sql_anyClassOutsideOfTheDatabase_isNotKnown =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.penstock.server.database..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "java.sql..", "javax.sql..", "org.postgresql..", "com.zaxxer..", "org.flywaydb..");

  @ArchTest
  static final ArchRule database_anyClass_knowsNoDoor =
      noClasses()
          .that()
          .resideInAPackage("io.penstock.server.database..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.penstock.server.admin..",
              "io.penstock.server.decision..",
              "io.penstock.server.proxy..");

  @ArchTest
  static final ArchRule vertxInternals_anyClassOutsideOfTheirPackage_areNotUsed =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.penstock.server.vertx..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.vertx.core..impl..", "io.vertx.core.internal..");

  @ArchTest
  static final ArchRule server_anyClass_printsNothing = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
}
