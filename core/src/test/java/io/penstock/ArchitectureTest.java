package io.penstock;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.conditions.ArchPredicates.are;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.penstock", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String ALGORITHM = "io.penstock.algorithm";
  private static final String IN_PROCESS = "io.penstock.inprocess";

  @ArchTest
  static final ArchRule core_anyClass_dependsOnTheJdkOnly =
      classes()
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage("java..", "io.penstock..", "org.jspecify..");

  @ArchTest
  static final ArchRule algorithm_anyClass_knowsLimitsOnly =
      classes()
          .that()
          .resideInAPackage(ALGORITHM)
          .should()
          .onlyDependOnClassesThat(
              resideInAnyPackage(ALGORITHM, "java..", "org.jspecify..")
                  .or(
                      nameMatching(
                          "io\\.penstock\\."
                              + "(InvalidValueException|Rate|TokenBucket|WindowLimit(\\$Counting)?)")));

  @ArchTest
  static final ArchRule algorithm_anyClass_readsNoClock =
      noClasses()
          .that()
          .resideInAPackage(ALGORITHM)
          .should()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .dependOnClassesThat(
              nameMatching("java\\.time\\.(Clock|Instant|InstantSource)")
                  .or(nameMatching("io\\.penstock\\..*Clock")));

  @ArchTest
  static final ArchRule algorithm_anyMethod_returnsNoFloatingPoint =
      methods()
          .that()
          .areDeclaredInClassesThat()
          .resideInAPackage(ALGORITHM)
          .should()
          .notHaveRawReturnType(are(nameMatching("double|float")));

  @ArchTest
  static final ArchRule algorithm_anyField_isNoFloatingPoint =
      fields()
          .that()
          .areDeclaredInClassesThat()
          .resideInAPackage(ALGORITHM)
          .should()
          .notHaveRawType(are(nameMatching("double|float")));

  @ArchTest
  static final ArchRule inProcess_anyClass_isUsedByTheLimiterOnly =
      noClasses()
          .that(are(not(resideInAPackage(IN_PROCESS))))
          .and()
          .doNotHaveFullyQualifiedName("io.penstock.RateLimiter")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(IN_PROCESS);

  @ArchTest
  static final ArchRule core_anyClass_printsNothing = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

  @ArchTest
  static final ArchRule core_anyClass_logsNothing =
      noClasses()
          .should()
          .dependOnClassesThat(
              nameMatching("java\\.util\\.logging\\..*|java\\.lang\\.System\\$Logger.*"));
}
