package io.penstock.server.envoy;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.envoy.proto.config.RateLimitConfig;
import io.penstock.server.envoy.proto.config.RateLimitDescriptor;
import io.penstock.server.envoy.proto.config.RateLimitPolicy;
import io.penstock.server.envoy.proto.config.RateLimitReplace;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts the resources of an xDS server to the documents that files would contain. */
final class XdsResources {
  private final Location at;

  private XdsResources(Location at) {
    this.at = at;
  }

  /** Returns a document for each resource. Reports those that are of another type. */
  static List<Node> documents(List<Any> resources, Problems problems) {
    List<Node> documents = new ArrayList<>();
    for (Any resource : resources) {
      try {
        if (!resource.getTypeUrl().equals(XdsClient.TYPE_URL)) {
          throw new InvalidProtocolBufferException("must be of type " + XdsClient.TYPE_URL);
        }
        RateLimitConfig config = RateLimitConfig.parseFrom(resource.getValue());
        String name = config.getName().isEmpty() ? config.getDomain() : config.getName();
        documents.add(new XdsResources(Location.of("xds/" + name)).document(config));
      } catch (InvalidProtocolBufferException malformed) {
        problems.error(
            Location.of("xds"), "", malformed.getMessage() + ": " + resource.getTypeUrl());
      }
    }
    return documents;
  }

  private Node document(RateLimitConfig config) {
    DocumentFields fields = new DocumentFields();
    fields.add("name", config.getName());
    fields.add("domain", config.getDomain());
    fields.add("descriptors", descriptors(config.getDescriptorsList()));
    return fields.mapping();
  }

  private Node descriptors(List<RateLimitDescriptor> descriptors) {
    return new Node.Sequence(at, descriptors.stream().map(this::descriptor).toList());
  }

  private Node descriptor(RateLimitDescriptor descriptor) {
    DocumentFields fields = new DocumentFields();
    fields.add("key", descriptor.getKey());
    fields.add("value", descriptor.getValue());
    fields.add("shadow_mode", descriptor.getShadowMode());
    fields.add("quota_mode", descriptor.getQuotaMode());
    fields.add("detailed_metric", descriptor.getDetailedMetric());
    if (descriptor.hasRateLimit()) {
      fields.add("rate_limit", limit(descriptor.getRateLimit()));
    }
    if (descriptor.hasMetadata()) {
      fields.add("metadata", struct(descriptor.getMetadata()));
    }
    if (descriptor.getDescriptorsCount() > 0) {
      fields.add("descriptors", descriptors(descriptor.getDescriptorsList()));
    }
    return fields.mapping();
  }

  private Node limit(RateLimitPolicy limit) {
    DocumentFields fields = new DocumentFields();
    fields.add("name", limit.getName());
    fields.add("unit", limit.getUnit().name());
    fields.add("requests_per_unit", number(Integer.toUnsignedString(limit.getRequestsPerUnit())));
    fields.add("unlimited", limit.getUnlimited());
    if (limit.getReplacesCount() > 0) {
      List<Node> replaces = new ArrayList<>();
      for (RateLimitReplace replaced : limit.getReplacesList()) {
        DocumentFields entry = new DocumentFields();
        entry.add("name", replaced.getName());
        replaces.add(entry.mapping());
      }
      fields.add("replaces", new Node.Sequence(at, replaces));
    }
    return fields.mapping();
  }

  private Node struct(Struct struct) {
    DocumentFields fields = new DocumentFields();
    struct.getFieldsMap().forEach((name, value) -> fields.add(name, value(value)));
    return fields.mapping();
  }

  private Node value(Value value) {
    return switch (value.getKindCase()) {
      case STRUCT_VALUE -> struct(value.getStructValue());
      case LIST_VALUE -> list(value.getListValue());
      case NUMBER_VALUE -> number(plain(value.getNumberValue()));
      case BOOL_VALUE -> flag(value.getBoolValue());
      case STRING_VALUE -> text(value.getStringValue());
      case NULL_VALUE, KIND_NOT_SET -> new Node.Scalar(at, "null", Node.NodeKind.NULL);
    };
  }

  private Node list(ListValue list) {
    return new Node.Sequence(at, list.getValuesList().stream().map(this::value).toList());
  }

  private static String plain(double number) {
    return Double.isFinite(number) ? BigDecimal.valueOf(number).toPlainString() : "0";
  }

  private Node number(String text) {
    return new Node.Scalar(at, text, Node.NodeKind.NUMBER);
  }

  private Node flag(boolean value) {
    return new Node.Scalar(at, String.valueOf(value), Node.NodeKind.BOOLEAN);
  }

  private Node text(String text) {
    return new Node.Scalar(at, text, Node.NodeKind.TEXT);
  }

  /** The fields of a mapping, without those that have their default value. */
  private final class DocumentFields {
    private final Map<String, Node.NodeField> entries = new LinkedHashMap<>();

    void add(String name, Node value) {
      entries.put(name, new Node.NodeField(at, value));
    }

    void add(String name, String value) {
      if (!value.isEmpty()) {
        add(name, text(value));
      }
    }

    void add(String name, boolean value) {
      if (value) {
        add(name, flag(true));
      }
    }

    Node.Mapping mapping() {
      return new Node.Mapping(at, entries);
    }
  }
}
