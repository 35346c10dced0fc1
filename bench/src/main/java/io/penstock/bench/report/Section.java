package io.penstock.bench.report;

/**
 * What a part of a run has found, as Markdown.
 *
 * @param run the title of the run
 * @param oneRun the command of that run
 * @param title of the part
 * @param text below the title
 */
record Section(String run, String oneRun, String title, String text) {
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
