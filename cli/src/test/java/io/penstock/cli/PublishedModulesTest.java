package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.docs.Page;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Checks that published modules have the metadata that public repositories require. */
class PublishedModulesTest {
  private static final Path ROOT = Path.of("..");

  /** A {@code pom.xml}. */
  private record Pom(String module, Document document) {
    static Pom of(String module) throws Exception {
      Path file = ROOT.resolve(module).resolve("pom.xml");
      return new Pom(
          module, DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile()));
    }

    List<String> all(String path) throws Exception {
      XPath xpath = XPathFactory.newInstance().newXPath();
      NodeList nodes = (NodeList) xpath.evaluate(path, document, XPathConstants.NODESET);
      List<String> texts = new ArrayList<>();
      for (int i = 0; i < nodes.getLength(); i++) {
        texts.add(nodes.item(i).getTextContent().strip());
      }
      return texts;
    }

    Optional<String> one(String path) throws Exception {
      return all(path).stream().findFirst();
    }

    boolean isPublished() throws Exception {
      return !one("/project/properties/maven.deploy.skip").equals(Optional.of("true"));
    }
  }

  private static List<Pom> published() throws Exception {
    List<Pom> published = new ArrayList<>();
    for (String module : Pom.of("").all("/project/modules/module")) {
      Pom pom = Pom.of(module);
      if (pom.isPublished()) {
        published.add(pom);
      }
    }
    return published;
  }

  @Test
  void bom_dependencies_areAllOtherModules() throws Exception {
    List<String> artifacts = new ArrayList<>();
    for (Pom pom : published()) {
      artifacts.add(pom.one("/project/artifactId").orElseThrow());
    }
    assertThat(artifacts)
        .contains("penstock-core", "penstock-bom")
        .doesNotContain("penstock-bench");
    artifacts.remove("penstock-bom");

    Pom bom = Pom.of("bom");
    String managed = "/project/dependencyManagement/dependencies/dependency";
    assertThat(bom.all(managed + "/artifactId")).isEqualTo(artifacts);
    assertThat(bom.all(managed + "/groupId")).containsOnly("io.penstock");
    assertThat(bom.all(managed + "/version")).containsOnly("${project.version}");
    assertThat(bom.all("/project/parent")).isEmpty();
  }

  @Test
  void versions_ofAllModulesAndSamples_areOne() throws Exception {
    String version = Pom.of("").one("/project/version").orElseThrow();

    for (Pom pom : published()) {
      String own = pom.module().equals("bom") ? "/project/version" : "/project/parent/version";
      assertThat(pom.one(own)).as(pom.module()).hasValue(version);
    }
    assertThat(Pom.of("samples").one("/project/properties/penstock.version")).hasValue(version);
  }

  @Test
  void versions_inPages_areTheProjectVersion() throws Exception {
    String version = Pom.of("").one("/project/version").orElseThrow();
    Pattern shown =
        Pattern.compile("<artifactId>penstock-[a-z-]+</artifactId>\\s*<version>([^<]+)</version>");
    int found = 0;
    for (Page page : Page.all()) {
      for (MatchResult match : shown.matcher(page.text()).results().toList()) {
        found++;
        assertThat(match.group(1)).as(page.name()).isEqualTo(version);
      }
    }
    assertThat(found).isGreaterThanOrEqualTo(3);
    String changes = Files.readString(ROOT.resolve("CHANGELOG.md"));
    assertThat(changes.split("\n## \\[|\\]", -1)).contains(version.replace("-SNAPSHOT", ""));
  }

  @Test
  void modules_thatArePublished_haveNameAndDescription() throws Exception {
    for (Pom pom : published()) {
      assertThat(pom.one("/project/name")).as(pom.module()).isPresent();
      assertThat(pom.one("/project/description")).as(pom.module()).isPresent();
    }
  }

  @Test
  void metadata_ofTheParentAndTheBom_isCompleteAndTheSame() throws Exception {
    Pom parent = Pom.of("");
    Pom bom = Pom.of("bom");

    for (String path :
        List.of(
            "/project/url",
            "/project/licenses/license/name",
            "/project/licenses/license/url",
            "/project/developers/developer/name",
            "/project/scm/connection",
            "/project/scm/developerConnection",
            "/project/scm/url",
            "/project/properties/project.build.outputTimestamp")) {
      assertThat(parent.one(path)).as(path).isPresent().isEqualTo(bom.one(path));
    }
  }
}
