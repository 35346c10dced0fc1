package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

final class FoldedLineScanTest {
  /** Bytes that matter to the scan, and some that differ from a line feed in one bit only. */
  private static final List<String> BYTES =
      List.of("\n", "\r\n", " ", "\t", "a", "bcdefghij", "\u000b", "\u008a", "\u0000", "\u00ff");

  private static final Pattern LEADING = Pattern.compile("^[\\x00-\\x20]*");
  private static final Pattern FOLDED = Pattern.compile("\n[ \t]");

  @RepeatedTest(1_000)
  void finds_anySplit_equalsARegularExpression(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.append(BYTES.get(random.nextInt(BYTES.size())));
    }
    String head = LEADING.matcher(text).replaceFirst("");
    boolean expected = FOLDED.matcher(head).find();
    ByteBuf bytes = Unpooled.copiedBuffer(text, ISO_8859_1);

    FoldedLineScan scan = new FoldedLineScan();
    boolean found = false;
    int from = 0;
    while (from < bytes.writerIndex()) {
      int to = from + 1 + random.nextInt(bytes.writerIndex() - from);
      found |= scan.finds(bytes, from, to);
      from = to;
    }

    assertThat(found).as("%s", text).isEqualTo(expected);
    assertThat(scan.isWithinHead()).isEqualTo(!head.isEmpty());
    assertThat(FoldedLineScan.isAnyFolded(bytes, 0, bytes.writerIndex()))
        .isEqualTo(FOLDED.matcher("\n" + text).find());
  }
}
