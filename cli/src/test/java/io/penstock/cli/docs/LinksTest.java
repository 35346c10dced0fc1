package io.penstock.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks the links between pages. Links to other sites are ignored. */
class LinksTest {
  private static final List<Page> PAGES = Page.all();

  @Test
  void links_ofAllPages_resolve() throws Exception {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Page page : PAGES) {
      for (String link : page.links()) {
        if (!link.matches("[a-z]+:.*")) {
          links++;
          if (!resolves(page, link)) {
            broken.add(page.name() + ": " + link);
          }
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(50);
  }

  private static boolean resolves(Page page, String link) throws Exception {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Page target = page;
    if (!file.isEmpty()) {
      Path path = page.folder().resolve(file);
      if (!Files.exists(path)) {
        return false;
      }
      target = hash < 0 ? page : new Page(file, Files.readString(path));
    }
    return hash < 0 || target.anchors().contains(link.substring(hash + 1));
  }

  @Test
  void links_thatAreBroken_areFound() throws Exception {
    Page page = new Page("docs/page.md", "# One thing\n[a](service.md#metrics) [b](#one-thing)\n");
    assertThat(page.links()).containsExactly("service.md#metrics", "#one-thing");
    assertThat(resolves(page, "service.md#metrics")).isTrue();
    assertThat(resolves(page, "#one-thing")).isTrue();
    assertThat(resolves(page, "#another")).isFalse();
    assertThat(resolves(page, "service.md#nothing")).isFalse();
    assertThat(resolves(page, "nowhere.md")).isFalse();
  }

  @Test
  void pages_ofDocs_areLinkedFromTheReadme() {
    String readme =
        PAGES.stream()
            .filter(page -> page.name().equals("README.md"))
            .findFirst()
            .orElseThrow()
            .text();
    for (Page page : PAGES) {
      if (page.name().matches("docs/[^/]+\\.md")) {
        assertThat(readme).contains("](" + page.name() + ")");
      }
    }
  }
}
