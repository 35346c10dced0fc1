package io.penstock.server.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import io.penstock.server.RunningServer;
import java.util.regex.Pattern;

/** Finds the parts of a page of the console as a user or a screen reader does. */
final class ConsolePage {
  private ConsolePage() {}

  static String address(RunningServer server) {
    return "http://localhost:" + server.server().adminPort();
  }

  /** Opens a page by its link in the navigation. */
  static void go(Page page, String title) {
    page.getByRole(AriaRole.NAVIGATION)
        .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName(title).setExact(true))
        .click();
    assertThat(heading(page, title)).isFocused();
  }

  static Locator heading(Page page, String title) {
    return page.getByRole(
        AriaRole.HEADING, new Page.GetByRoleOptions().setName(title).setLevel(1).setExact(true));
  }

  static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  static Locator choice(Page page, String name) {
    return page.getByRole(
        AriaRole.COMBOBOX, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  static Locator card(Page page, String title) {
    return page.getByRole(
        AriaRole.REGION, new Page.GetByRoleOptions().setName(title).setExact(true));
  }

  static Locator link(Locator within, String name) {
    return within
        .getByRole(AriaRole.LINK, new Locator.GetByRoleOptions().setName(name).setExact(true))
        .first();
  }

  static Locator dialog(Page page) {
    return page.getByRole(AriaRole.DIALOG);
  }

  static void lookUp(Page page, String rule, String key) {
    go(page, "Key");
    choice(page, "Rule").selectOption(rule);
    page.getByLabel(Pattern.compile("^Key")).fill(key);
    button(page, "Look up").click();
    assertThat(card(page, "Level")).isVisible();
  }

  static void signIn(Page page, String token) {
    page.getByLabel("Access token").fill(token);
    button(page, "Sign in").click();
  }

  /** Checks that no text of a user or policy became markup. */
  static void checkNoMarkup(Page page) {
    assertThat(
            page.locator(
                "main img:not(.brand img), main svg, main script, dialog img, dialog svg, dialog script"))
        .hasCount(0);
  }
}
