package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What rules in shadow mode would have denied, as a running server has recorded it: an access log
 * in JSON lines, the latest first, which is fetched page by page. Not thread-safe.
 */
final class RecordedViolations extends InputStream {
  private static final JsonFactory JSON = new JsonFactory();
  private static final int MAX_RECORDS = 100_000;
  private static final int MAX_PAGES = 1_000;

  private final AdminClient client;
  private final String path;
  private @Nullable String next;
  private InputStream page;
  private int pages;
  private int records;

  /**
   * Fetches the first page.
   *
   * @param rule the name of a rule; null for all
   * @throws RuleTarget.FailedException if the server is unreachable or rejects the request
   */
  RecordedViolations(AdminClient client, @Nullable String rule) {
    this.client = client;
    this.path =
        "/v1/violations?mode=shadow&limit=1000" + (rule == null ? "" : "&rule=" + encoded(rule));
    this.page = page(path);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, UTF_8).replace("+", "%20");
  }

  private InputStream page(String pathOfPage) {
    Fields fields = client.send("GET", pathOfPage, "").fields();
    next = fields.text("next");
    List<Located<Node>> rows = AdminClient.list(fields, "violations");
    pages++;
    records += rows.size();
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    try {
      for (Located<Node> row : rows) {
        write(AdminClient.fields(row), lines);
        lines.write('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new ByteArrayInputStream(lines.toByteArray());
  }

  private static void write(Fields row, ByteArrayOutputStream lines) throws IOException {
    try (JsonGenerator json =
        JSON.createGenerator(lines).disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)) {
      json.writeStartObject();
      json.writeStringField("time", row.text("requested_at"));
      json.writeStringField("ip:address", row.text("address"));
      json.writeStringField("user_id", row.text("user"));
      json.writeStringField("path", row.text("endpoint"));
      json.writeStringField("rule", row.text("rule"));
      json.writeNumberField("count", AdminClient.number(row, "denied"));
      json.writeEndObject();
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int from, int length) throws IOException {
    int count = page.read(bytes, from, length);
    while (count < 0 && next != null) {
      if (records >= MAX_RECORDS || pages >= MAX_PAGES) {
        throw new IOException(
            String.format(Locale.ROOT, "only the latest %,d records are read", records)
                + "; --rule selects those of a rule");
      }
      try {
        page = page(path + "&after=" + encoded(next));
      } catch (RuleTarget.FailedException e) {
        throw new IOException(e.getMessage(), e);
      }
      count = page.read(bytes, from, length);
    }
    return count;
  }
}
