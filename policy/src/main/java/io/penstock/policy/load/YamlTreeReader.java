package io.penstock.policy.load;

import static java.util.regex.Pattern.DOTALL;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

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
          "(tag handle|numbers, but found:|escape character|expected URI in UTF-8:|version:).*",
          DOTALL);

  /** Messages of the parser whose usual cause is a line with the wrong indentation. */
  private static final Pattern INDENTATION_MESSAGE =
      Pattern.compile("mapping values are not allowed here|expected <block end>.*", DOTALL);

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
    LoadSettings settings = LoadSettings.builder().setCodePointLimit(Document.MAX_BYTES).build();
    StreamReader source = new StreamReader(settings, text);
    try {
      ParserImpl parser = new ParserImpl(settings, source);
      YamlTreeReader reader = new YamlTreeReader(file, tree, problems);
      while (parser.hasNext()) {
        reader.take(parser.next());
      }
    } catch (MarkedYamlEngineException e) {
      throw new MalformedException(locationOf(file, e.getProblemMark()), readable(e));
    } catch (ReaderException e) {
      throw new MalformedException(
          locationOf(file, text, e.getPosition()),
          "must not contain the character " + String.format("U+%04X", e.getCodePoint()));
    } catch (NumberFormatException e) {
      // Thrown by the parser for an escape that is incomplete at the end of the text or out of
      // range.
      throw new MalformedException(
          locationOf(file, source.getMark()), "must be an escape such as \\u0041");
    } catch (YamlEngineException e) {
      throw new MalformedException(Location.of(file), String.valueOf(e.getMessage()));
    }
  }

  private void take(Event event) throws MalformedException {
    Location at = locationOf(file, event.getStartMark());
    if (event instanceof DocumentStartEvent) {
      if (started) {
        throw new MalformedException(at, "must be one document: a second one begins here");
      }
      started = true;
    } else if (event instanceof NodeEvent node) {
      take(node, at);
    } else if (event instanceof CollectionEndEvent) {
      tree.close();
    }
  }

  private void take(NodeEvent event, Location at) throws MalformedException {
    if (event instanceof AliasEvent alias) {
      problems.error(at, "", "aliases are not supported: quote text that begins with *");
      takeScalar(new Node.Scalar(at, alias.getAlias().getValue(), Node.NodeKind.TEXT), false);
      return;
    }
    if (event.getAnchor().isPresent()) {
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
      if (start instanceof MappingStartEvent) {
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

  private void checkTag(Optional<String> tag, Location at) {
    if (tag.isPresent()) {
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

  private static Location locationOf(String file, Optional<Mark> mark) {
    return mark.map(at -> new Location(file, at.getLine() + 1, at.getColumn() + 1))
        .orElseGet(() -> Location.of(file));
  }

  private static Location locationOf(String file, String text, int codePoints) {
    int end =
        text.offsetByCodePoints(0, Math.min(codePoints, text.codePointCount(0, text.length())));
    String before = text.substring(0, end);
    int line = 1 + (int) before.chars().filter(c -> c == '\n').count();
    return new Location(file, line, end - before.lastIndexOf('\n'));
  }

  private static String readable(MarkedYamlEngineException e) {
    String problem =
        QUOTING_MESSAGE.matcher(String.valueOf(e.getProblem())).replaceFirst("$1 something else");
    if (INDENTATION_MESSAGE.matcher(problem).matches()) {
      return problem
          + "; check the indentation: the fields of a mapping must begin in the same column. Quote"
          + " text that contains a colon and a space";
    }
    if (e.getContext() == null) {
      return problem;
    }
    String start =
        e.getContextMark().map(at -> " that begins at line " + (at.getLine() + 1)).orElse("");
    return problem + ", " + e.getContext() + start;
  }
}
