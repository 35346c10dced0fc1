package io.penstock.bench.report;

/**
 * The results of a part of a run, as Markdown.
 *
 * @param run the title of the run
 * @param runCommand the command of that run
 * @param title the title of the part
 * @param text the text below the title
 */
record Section(String run, String runCommand, String title, String text) {
  String runHeading() {
    return "## " + run + "\n";
  }

  String heading() {
    return "### " + title + "\n";
  }

  String markdown() {
    return heading() + "\n" + text;
  }
}
