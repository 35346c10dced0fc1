package io.penstock.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.cases.CaseResult;
import io.penstock.policy.cases.CasesReport;
import io.penstock.policy.cases.Mismatch;
import io.penstock.policy.cases.StepFailure;
import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Writes the results of test cases as JSON. */
final class CasesJson {
  private CasesJson() {}

  static String of(Map<Path, CasesReport> reports, List<Problem> problems) {
    boolean passed = reports.values().stream().allMatch(CasesReport::passed);
    return JsonText.of(
        json -> {
          json.writeStartObject();
          json.writeBooleanField("passed", problems.isEmpty() && passed);
          json.writeArrayFieldStart("files");
          for (Map.Entry<Path, CasesReport> report : reports.entrySet()) {
            write(report.getKey(), report.getValue(), json);
          }
          json.writeEndArray();
          JsonText.writeProblems(problems, json);
          json.writeEndObject();
        });
  }

  private static void write(Path file, CasesReport report, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("file", file.toString());
    json.writeBooleanField("passed", report.passed());
    json.writeNumberField("requests", report.sent());
    json.writeNumberField("requests_failed", report.requestsFailed());
    json.writeArrayFieldStart("cases");
    for (CaseResult result : report.results()) {
      write(result, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(CaseResult result, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", result.name());
    JsonText.writeLocation(result.location(), json);
    json.writeBooleanField("passed", result.passed());
    json.writeNumberField("requests", result.sent());
    json.writeArrayFieldStart("failures");
    for (StepFailure failure : result.failures()) {
      write(failure, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(StepFailure failure, JsonGenerator json) throws IOException {
    json.writeStartObject();
    JsonText.writeLocation(failure.location(), json);
    json.writeNumberField("request", failure.request());
    json.writeNumberField("at_ms", failure.at().toMillis());
    json.writeNumberField("time", failure.time());
    json.writeNumberField("times", failure.times());
    json.writeNumberField("failed", failure.failed());
    json.writeArrayFieldStart("differences");
    for (Mismatch mismatch : failure.mismatches()) {
      json.writeStartObject();
      json.writeStringField("field", mismatch.field());
      json.writeStringField("expected", mismatch.expected());
      json.writeStringField("actual", mismatch.actual());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}
