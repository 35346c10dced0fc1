package io.penstock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that the API listed in docs/versioning.md exposes no internal types. Located in this
 * module because it depends on all libraries.
 */
class ApiTest {
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(io\\.penstock[a-z.]*)` \\| [a-z-]+ \\| (.+) \\|$");
  private static final Pattern NAME = Pattern.compile("`([A-Za-z]+)`");
  private static final String OURS = "io.penstock";

  private static JavaClasses classes;

  /** The API types of each package; empty if all of its types are API. */
  private static final Map<String, Set<String>> LISTED = new TreeMap<>();

  @BeforeAll
  static void read() throws Exception {
    classes =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(OURS);
    String page = Files.readString(Path.of("..", "docs", "versioning.md"));
    for (MatchResult row : ROW.matcher(page).results().toList()) {
      LISTED.put(
          row.group(1),
          NAME.matcher(row.group(2))
              .results()
              .map(name -> name.group(1))
              .collect(Collectors.toCollection(TreeSet::new)));
    }
  }

  @Test
  void page_types_existAndArePublic() {
    assertThat(LISTED).hasSizeGreaterThan(5);
    LISTED.forEach(
        (name, types) -> {
          assertThat(classes.stream().filter(type -> type.getPackageName().equals(name)))
              .as(name)
              .isNotEmpty();
          for (String type : types) {
            assertThat(classes.contain(name + "." + type)).as("%s.%s", name, type).isTrue();
            assertThat(isPublic(classes.get(name + "." + type))).as(type).isTrue();
          }
        });
  }

  @Test
  void api_signatures_exposeNoInternalTypes() {
    Set<String> errors = new TreeSet<>();
    int checked = 0;
    for (JavaClass type : classes) {
      if (isApi(type) && isPublic(type)) {
        checked++;
        exposed(type)
            .filter(used -> used.getPackageName().startsWith(OURS) && !isApi(used))
            .forEach(used -> errors.add(type.getName() + " exposes " + used.getName()));
      }
    }
    assertThat(errors).isEmpty();
    assertThat(checked).isGreaterThan(50);
  }

  private static boolean isApi(JavaClass type) {
    JavaClass outermost = type.isArray() ? type.getBaseComponentType() : type;
    while (outermost.getEnclosingClass().isPresent()) {
      outermost = outermost.getEnclosingClass().get();
    }
    Set<String> types = LISTED.get(outermost.getPackageName());
    return types != null && (types.isEmpty() || types.contains(outermost.getSimpleName()));
  }

  private static boolean isPublic(JavaClass type) {
    return type.getModifiers().contains(JavaModifier.PUBLIC)
        && type.getEnclosingClass().map(ApiTest::isPublic).orElse(true);
  }

  private static Stream<JavaClass> exposed(JavaClass type) {
    List<JavaType> shown = new ArrayList<>();
    type.getRawInterfaces().stream().filter(ApiTest::isPublic).forEach(shown::add);
    type.getRawSuperclass().filter(ApiTest::isPublic).ifPresent(shown::add);
    for (JavaField field : type.getFields()) {
      if (isShown(field.getModifiers())) {
        shown.add(field.getType());
      }
    }
    for (JavaCodeUnit unit : type.getCodeUnits()) {
      if (isShown(unit.getModifiers())) {
        shown.add(unit.getReturnType());
        shown.addAll(unit.getParameterTypes());
        shown.addAll(unit.getExceptionTypes());
      }
    }
    return shown.stream()
        .flatMap(each -> each.getAllInvolvedRawTypes().stream())
        .map(JavaClass::getBaseComponentType);
  }

  private static boolean isShown(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }
}
