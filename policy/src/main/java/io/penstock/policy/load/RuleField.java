package io.penstock.policy.load;

import io.penstock.policy.Rule;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A field of a rule: its name, type, default and description, how it is read, and how the API shows
 * it. Immutable.
 *
 * @see RuleFields
 */
public final class RuleField {
  /** The table of docs/policy.md that describes a field. */
  public enum ReferenceTable {
    RULE,
    LIMIT,
    COST
  }

  /** A property of active rules in the API. */
  public record Property(
      String name,
      Map<String, Object> schema,
      boolean isNullable,
      boolean isOptional,
      Function<Rule, @Nullable Object> value) {}

  /** A value that only token buckets support. */
  record BucketValue(String value, String message) {}

  private static final Rule DEFAULTS = Rule.builder("").build();

  private final String name;
  private final FieldType<?> type;
  private final ReferenceTable table;
  private final String description;
  private final @Nullable String see;
  private final boolean isRequired;
  private final boolean needsLimit;
  private final @Nullable String documentedDefault;
  private final @Nullable Object defaultValue;
  private final @Nullable BucketValue bucketValue;
  private final @Nullable Property property;
  private final String shownAs;
  private final BiConsumer<Fields, Rule.Builder> reader;

  private RuleField(Builder<?> builder, BiConsumer<Fields, Rule.Builder> reader) {
    this.name = builder.name;
    this.type = builder.type;
    this.table = builder.table;
    this.description = builder.description;
    this.see = builder.see;
    this.isRequired = builder.isRequired;
    this.needsLimit = builder.needsLimit;
    this.property = builder.property;
    this.documentedDefault = builder.documentedDefault;
    this.defaultValue = builder.defaultValue == null ? modelDefault() : builder.defaultValue;
    this.bucketValue = builder.bucketValue;
    this.shownAs = builder.shownAs == null ? name : builder.shownAs;
    this.reader = reader;
    if (property == null && builder.shownAs == null) {
      throw new IllegalArgumentException("the API must show every field: " + name);
    }
  }

  /** Returns the default of {@link Rule.Builder}, unless it is described in words. */
  private @Nullable Object modelDefault() {
    return property == null || isRequired || documentedDefault != null
        ? null
        : property.value.apply(DEFAULTS);
  }

  public String name() {
    return name;
  }

  /** Returns what the field means, in Markdown. */
  public String description() {
    return description;
  }

  /** Returns the section of docs/policy.md with more about the field; null if there is none. */
  public @Nullable String see() {
    return see;
  }

  public ReferenceTable table() {
    return table;
  }

  public boolean isRequired() {
    return isRequired;
  }

  /** Returns whether the field makes no sense in a rule without a limit. */
  public boolean needsLimit() {
    return needsLimit;
  }

  /** Returns the value of a missing field; null if it depends on other fields. */
  public @Nullable Object defaultValue() {
    return defaultValue;
  }

  /** Returns a description of the default that replaces its value in documents. */
  public @Nullable String documentedDefault() {
    return documentedDefault;
  }

  /** Returns the keywords of the JSON Schema. */
  public Map<String, Object> schema() {
    return type.schema();
  }

  /** Returns valid values, as written in a policy. */
  public List<String> examples() {
    return type.examples();
  }

  /** Returns whether scalars without quotes are text, so that {@code 007} is not a number. */
  public boolean isText() {
    return type.isText();
  }

  /** Returns the value that only token buckets support, with the error message for others. */
  @Nullable BucketValue bucketValue() {
    return bucketValue;
  }

  /** Returns the property that shows the field; null if it is another field's. */
  public @Nullable Property property() {
    return property;
  }

  /** Returns the name of the property that shows the field. */
  public String shownAs() {
    return property == null ? shownAs : property.name;
  }

  /** Reads the field if it is present. Reports an error and sets nothing if it is invalid. */
  void read(Fields fields, Rule.Builder rule) {
    reader.accept(fields, rule);
  }

  static <T> Builder<T> of(String name, FieldType<T> type) {
    return new Builder<>(name, type);
  }

  /** Declares a field. */
  static final class Builder<T> {
    private final String name;
    private final FieldType<T> type;
    private ReferenceTable table = ReferenceTable.RULE;
    private String description = "";
    private @Nullable String see;
    private boolean isRequired;
    private boolean needsLimit;
    private @Nullable Object defaultValue;
    private @Nullable String documentedDefault;
    private @Nullable BucketValue bucketValue;
    private @Nullable Property property;
    private @Nullable String shownAs;

    private Builder(String name, FieldType<T> type) {
      this.name = name;
      this.type = type;
    }

    Builder<T> in(ReferenceTable table) {
      this.table = table;
      this.needsLimit = table != ReferenceTable.RULE;
      return this;
    }

    Builder<T> description(String description) {
      this.description = description;
      return this;
    }

    /** Refers to a section of docs/policy.md. */
    Builder<T> see(String section) {
      this.see = section;
      return this;
    }

    Builder<T> required() {
      this.isRequired = true;
      return this;
    }

    /** Rejects the field in a rule with {@code unlimited: true}. */
    Builder<T> needsLimit() {
      this.needsLimit = true;
      return this;
    }

    /** States the default of a field that {@link Rule.Builder} doesn't have. */
    Builder<T> defaultValue(Object value) {
      this.defaultValue = value;
      return this;
    }

    /** Describes a default that is no plain value, in Markdown. */
    Builder<T> documentedDefault(String text) {
      this.documentedDefault = text;
      return this;
    }

    /** Rejects a value in a rule with a window. */
    Builder<T> needsTokenBucket(String value, String message) {
      this.bucketValue = new BucketValue(value, message);
      return this;
    }

    /** Shows the field under its own name. */
    Builder<T> shows(Function<Rule, ? extends @Nullable Object> value) {
      return shows(name, type.apiSchema(), value);
    }

    Builder<T> shows(
        String property,
        Map<String, Object> schema,
        Function<Rule, ? extends @Nullable Object> value) {
      this.property = new Property(property, schema, false, false, value::apply);
      return this;
    }

    /** Shows the field under its own name; null if it is not set. */
    Builder<T> showsNullable(Function<Rule, ? extends @Nullable Object> value) {
      this.property = new Property(name, type.apiSchema(), true, false, value::apply);
      return this;
    }

    /** Shows the field under its own name if it is set. */
    Builder<T> showsOptional(Function<Rule, ? extends @Nullable Object> value) {
      this.property = new Property(name, type.apiSchema(), false, true, value::apply);
      return this;
    }

    /** Shows the field as part of the property of another one. */
    Builder<T> shownAs(String property) {
      this.shownAs = property;
      return this;
    }

    /** Completes a field that is read by itself. */
    RuleField reads(BiConsumer<Rule.Builder, T> setter) {
      return new RuleField(
          this,
          (fields, rule) -> {
            T value = fields.has(name) ? type.reader().apply(fields, name) : null;
            if (value != null) {
              setter.accept(rule, value);
            }
          });
    }

    /** Completes a field that {@link RuleReader} or {@link LimitsReader} reads with others. */
    RuleField readsJointly() {
      return new RuleField(this, (fields, rule) -> {});
    }
  }
}
