package io.penstock.server.envoy;

import com.google.protobuf.Duration;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.penstock.server.envoy.LimitAnswer.CurrentLimit;
import io.penstock.server.envoy.LimitAnswer.DescriptorStatus;
import io.penstock.server.envoy.proto.common.RateLimitDescriptor;
import io.penstock.server.envoy.proto.core.HeaderValue;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.envoy.proto.type.RateLimitUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts between messages of gRPC and the types of this package. */
final class ProtoMessages {
  private ProtoMessages() {}

  /**
   * @throws InvalidQueryException if the request can't be decided
   */
  static LimitQuery query(RateLimitRequest request) {
    LimitQuery.checkCount("descriptors", request.getDescriptorsCount(), LimitQuery.MAX_DESCRIPTORS);
    long hits = Integer.toUnsignedLong(request.getHitsAddend());
    List<DescriptorQuery> descriptors = new ArrayList<>(request.getDescriptorsCount());
    for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
      descriptors.add(descriptor(descriptor, Math.max(1, hits)));
    }
    return new LimitQuery(request.getDomain(), hits, descriptors);
  }

  private static DescriptorQuery descriptor(RateLimitDescriptor descriptor, long hitsOfRequest) {
    LimitQuery.checkCount("entries", descriptor.getEntriesCount(), LimitQuery.MAX_ENTRIES);
    List<DescriptorEntry> entries = new ArrayList<>(descriptor.getEntriesCount());
    for (RateLimitDescriptor.Entry entry : descriptor.getEntriesList()) {
      entries.add(new DescriptorEntry(entry.getKey(), entry.getValue()));
    }
    return new DescriptorQuery(
        entries,
        descriptor.hasLimit() ? override(descriptor.getLimit()) : null,
        descriptor.hasHitsAddend()
            ? DescriptorQuery.clampHits(descriptor.getHitsAddend().getValue())
            : hitsOfRequest,
        descriptor.hasHitsAddend(),
        descriptor.getIsNegativeHits());
  }

  private static LimitOverride override(RateLimitDescriptor.RateLimitOverride limit) {
    LimitUnit unit = unit(limit.getUnit());
    if (unit == null) {
      throw new InvalidQueryException(
          "limit.unit must be SECOND, MINUTE, HOUR, DAY, MONTH or YEAR");
    }
    return new LimitOverride(unit, Integer.toUnsignedLong(limit.getRequestsPerUnit()));
  }

  private static @Nullable LimitUnit unit(RateLimitUnit unit) {
    return switch (unit) {
      case SECOND -> LimitUnit.SECOND;
      case MINUTE -> LimitUnit.MINUTE;
      case HOUR -> LimitUnit.HOUR;
      case DAY -> LimitUnit.DAY;
      case MONTH -> LimitUnit.MONTH;
      case YEAR -> LimitUnit.YEAR;
      case UNKNOWN, UNRECOGNIZED -> null;
    };
  }

  static RateLimitResponse response(LimitAnswer answer, Map<String, String> headers) {
    RateLimitResponse.Builder response =
        RateLimitResponse.newBuilder().setOverallCode(code(answer.allowed()));
    for (DescriptorStatus status : answer.statuses()) {
      response.addStatuses(status(status));
    }
    headers.forEach(
        (name, value) ->
            response.addResponseHeadersToAdd(
                HeaderValue.newBuilder().setKey(name).setValue(value)));
    if (!answer.dynamicMetadata().isEmpty()) {
      response.setDynamicMetadata(struct(answer.dynamicMetadata()));
    }
    return response.build();
  }

  private static Struct struct(Map<?, ?> fields) {
    Struct.Builder struct = Struct.newBuilder();
    fields.forEach((name, value) -> struct.putFields(String.valueOf(name), value(value)));
    return struct.build();
  }

  private static Value value(@Nullable Object value) {
    Value.Builder proto = Value.newBuilder();
    if (value instanceof Map<?, ?> fields) {
      return proto.setStructValue(struct(fields)).build();
    }
    if (value instanceof List<?> items) {
      ListValue.Builder list = ListValue.newBuilder();
      items.forEach(item -> list.addValues(value(item)));
      return proto.setListValue(list).build();
    }
    if (value instanceof Double number) {
      return proto.setNumberValue(number).build();
    }
    if (value instanceof Boolean flag) {
      return proto.setBoolValue(flag).build();
    }
    return value == null
        ? proto.setNullValue(NullValue.NULL_VALUE).build()
        : proto.setStringValue(value.toString()).build();
  }

  private static RateLimitResponse.Code code(boolean allowed) {
    return allowed ? RateLimitResponse.Code.OK : RateLimitResponse.Code.OVER_LIMIT;
  }

  private static RateLimitResponse.DescriptorStatus status(DescriptorStatus status) {
    RateLimitResponse.DescriptorStatus.Builder proto =
        RateLimitResponse.DescriptorStatus.newBuilder()
            .setCode(code(status.allowed()))
            .setLimitRemaining((int) status.remaining());
    CurrentLimit limit = status.limit();
    if (limit != null) {
      proto.setCurrentLimit(
          RateLimitResponse.RateLimit.newBuilder()
              .setName(limit.label())
              .setRequestsPerUnit((int) limit.requestsPerUnit())
              .setUnit(RateLimitResponse.RateLimit.Unit.valueOf(limit.unit().name())));
    }
    if (status.resetSeconds() >= 0) {
      proto.setDurationUntilReset(Duration.newBuilder().setSeconds(status.resetSeconds()));
    }
    return proto.build();
  }
}
