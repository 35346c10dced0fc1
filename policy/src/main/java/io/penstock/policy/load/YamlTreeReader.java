package io.penstock.policy.load;

import static java.util.regex.Pattern.DOTALL;

import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.DocumentStartEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads the subset of YAML that corresponds to JSON. Scalars follow YAML 1.2: {@code off} and
 * {@code no} are text. Anchors, aliases, merge keys and tags are errors.
 *
 * <p>Messages never quote the text because it may be an unquoted secret.
 */
final class YamlTreeReader {
  private static final Set<String> NULLS = Set.of("", "~", "null", "Null", "NULL");
  private static final Set<String> BOOLEANS =
      Set.of("true", "True", "TRUE", "false", "False", "FALSE");
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?+(?:\\d++(?:\\.\\d*+)?+|\\.\\d++)(?:[eE][-+]?+\\d++)?+");

  /** Messages of the parser that quote more than one character of the text. */
  private static final Pattern QUOTING_MESSAGE =
      Pattern.compile(
          "(undefined tag handle|numbers, but found:|expected URI in UTF-8:).*", DOTALL);

  private final String file;
  private final TreeBuilder tree;
  private final Problems problems;
  private boolean started;

  private YamlTreeReader(String file, TreeBuilder tree, Problems problems) {
    this.file = file;
    this.tree = tree;
    this.problems = problems;
  }

  static void read(String text, String file, TreeBuilder tree, Problems problems)
      throws MalformedException {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Document.MAX_BYTES);
    StreamReader source = new StreamReader(text);
    try {
      ParserImpl parser = new ParserImpl(source, options);
      YamlTreeReader reader = new YamlTreeReader(file, tree, problems);
      for (Event event = parser.getEvent();
          !event.is(Event.ID.StreamEnd);
          event = parser.getEvent()) {
        reader.take(event);
      }
    } catch (MarkedYAMLException e) {
      throw new MalformedException(place(file, e.getProblemMark()), readable(e));
    } catch (ReaderException e) {
      throw new MalformedException(
          place(file, text, e.getPosition()),
          "must not contain the character " + String.format("U+%04X", e.getCodePoint()));
    } catch (NumberFormatException e) {
      // Thrown by the parser for an escape that is incomplete at the end of the text or out of
      // range.
      throw new MalformedException(
          place(file, source.getMark()), "must be an escape such as \\u0041");
    } catch (YAMLException e) {
      throw new MalformedException(Location.of(file), String.valueOf(e.getMessage()));
    }
  }

  private void take(Event event) throws MalformedException {
    Location at = place(file, event.getStartMark());
    if (event instanceof DocumentStartEvent) {
      if (started) {
        throw new MalformedException(at, "must be one document: a second one begins here");
      }
      started = true;
    } else if (event instanceof NodeEvent node) {
      take(node, at);
    } else if (event.is(Event.ID.MappingEnd) || event.is(Event.ID.SequenceEnd)) {
      tree.close();
    }
  }

  private void take(NodeEvent event, Location at) throws MalformedException {
    if (event instanceof AliasEvent alias) {
      problems.error(at, "", "aliases are not supported: quote text that begins with *");
      takeScalar(new Node.Scalar(at, alias.getAnchor(), Node.NodeKind.TEXT), false);
      return;
    }
    if (event.getAnchor() != null) {
      problems.error(at, "", "anchors are not supported: quote text that begins with &");
    }
    if (event instanceof ScalarEvent scalar) {
      checkTag(scalar.getTag(), at);
      takeScalar(new Node.Scalar(at, scalar.getValue(), kind(scalar)), scalar.isPlain());
    } else if (event instanceof CollectionStartEvent start) {
      checkTag(start.getTag(), at);
      if (tree.expectsKey()) {
        throw new MalformedException(at, "a key must be plain text, not a list or mapping");
      }
      if (start.is(Event.ID.MappingStart)) {
        tree.openMapping(at);
      } else {
        tree.openSequence(at);
      }
    }
  }

  private void takeScalar(Node.Scalar scalar, boolean plain) throws MalformedException {
    if (!tree.expectsKey()) {
      tree.scalar(scalar);
      return;
    }
    if (plain && scalar.text().equals("<<")) {
      problems.error(scalar.at(), "", "merge keys are not supported: <<");
    }
    tree.key(scalar.text(), scalar.at());
  }

  private void checkTag(@Nullable String tag, Location at) {
    if (tag != null) {
      problems.error(at, "", "tags are not supported: quote text that begins with !");
    }
  }

  private static Node.NodeKind kind(ScalarEvent scalar) {
    String text = scalar.getValue();
    if (!scalar.isPlain()) {
      return Node.NodeKind.TEXT;
    }
    if (NULLS.contains(text)) {
      return Node.NodeKind.NULL;
    }
    if (BOOLEANS.contains(text)) {
      return Node.NodeKind.BOOLEAN;
    }
    return NUMBER.matcher(text).matches() ? Node.NodeKind.NUMBER : Node.NodeKind.TEXT;
  }

  private static Location place(String file, @Nullable Mark mark) {
    return mark == null
        ? Location.of(file)
        : new Location(file, mark.getLine() + 1, mark.getColumn() + 1);
  }

  private static Location place(String file, String text, int codePoints) {
    int end =
        text.offsetByCodePoints(0, Math.min(codePoints, text.codePointCount(0, text.length())));
    String before = text.substring(0, end);
    int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
    return new Location(file, line, end - before.lastIndexOf('\n'));
  }

  private static String readable(MarkedYAMLException e) {
    String context = e.getContext();
    Mark contextMark = e.getContextMark();
    String problem =
        QUOTING_MESSAGE.matcher(String.valueOf(e.getProblem())).replaceFirst("$1 something else");
    if (context == null) {
      return problem;
    }
    return problem
        + ", "
        + context
        + (contextMark == null ? "" : " that begins at line " + (contextMark.getLine() + 1));
  }
}
