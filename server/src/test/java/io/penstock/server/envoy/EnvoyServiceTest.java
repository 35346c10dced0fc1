package io.penstock.server.envoy;

import static io.penstock.server.envoy.EnvoyClient.descriptor;
import static io.penstock.server.envoy.EnvoyClient.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.UInt64Value;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.penstock.server.Setting;
import io.penstock.server.envoy.proto.common.RateLimitDescriptor;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.envoy.proto.service.RateLimitResponse.Code;
import io.penstock.server.envoy.proto.type.RateLimitUnit;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rate limit service, asked by grpc-java. */
class EnvoyServiceTest extends EnvoyServiceSetup {
  @Test
  void ask_upToTheLimit_isAllowedThenDenied() {
    for (int left = 2; left >= 0; left--) {
      RateLimitResponse allowed = client.ask("shop", descriptor("user=ann"));
      assertThat(allowed.getOverallCode()).isEqualTo(Code.OK);
      assertThat(allowed.getStatuses(0).getLimitRemaining()).isEqualTo(left);
    }
    RateLimitResponse.DescriptorStatus denied =
        client.ask("shop", descriptor("user=ann")).getStatuses(0);

    assertThat(denied.getCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(denied.getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
    assertThat(denied.getCurrentLimit().getUnit())
        .isEqualTo(RateLimitResponse.RateLimit.Unit.MINUTE);
    assertThat(denied.getCurrentLimit().getName()).isEqualTo("per_user");
    assertThat(denied.getDurationUntilReset().getSeconds()).isEqualTo(60);
    assertThat(code("user=bob")).isEqualTo(Code.OK);
    clock.advance(Duration.ofSeconds(20));
    assertThat(code("user=ann")).isEqualTo(Code.OK);
    assertThat(code("user=ann")).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void ask_severalDescriptors_chargesAllOrNone() {
    take("user=ann", 3);
    RateLimitResponse denied =
        client.ask("shop", descriptor("tenant=acme"), descriptor("user=ann"));

    assertThat(denied.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(denied.getStatusesList())
        .extracting(RateLimitResponse.DescriptorStatus::getCode)
        .containsExactly(Code.OK, Code.OVER_LIMIT);
    assertThat(remaining("tenant=acme")).isEqualTo(100);
  }

  @Test
  void ask_sameDescriptorTwice_countsBoth() {
    RateLimitResponse response = client.ask("shop", descriptor("user=ann"), descriptor("user=ann"));

    assertThat(response.getStatusesList())
        .hasSize(2)
        .allMatch(status -> status.getLimitRemaining() == 1);
    assertThat(client.ask("shop", descriptor("user=ann"), descriptor("user=ann")).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(remaining("user=ann")).isEqualTo(1);
  }

  @Test
  void ask_twoKeysOfOneLimit_haveBucketsOfTheirOwn() {
    take("user=ann", 3);
    RateLimitResponse response = client.ask("shop", descriptor("user=bob"), descriptor("user=ann"));

    assertThat(response.getStatusesList())
        .extracting(RateLimitResponse.DescriptorStatus::getCode)
        .containsExactly(Code.OK, Code.OVER_LIMIT);
    assertThat(remaining("user=bob")).isEqualTo(3);
  }

  @Test
  void ask_hitsOfTheRequest_countForDescriptorsWithoutOwn() {
    RateLimitResponse response =
        client.ask(
            RateLimitRequest.newBuilder()
                .setDomain("shop")
                .setHitsAddend(2)
                .addDescriptors(descriptor("user=ann"))
                .addDescriptors(descriptor(5, "tenant=acme"))
                .build());

    assertThat(response.getStatuses(0).getLimitRemaining()).isEqualTo(1);
    assertThat(response.getStatuses(1).getLimitRemaining()).isEqualTo(95);
  }

  @Test
  void ask_withoutHits_checksOnly() {
    assertThat(client.ask("shop", descriptor(0, "user=ann")).getStatuses(0).getLimitRemaining())
        .isEqualTo(3);
    take("user=ann", 3);

    RateLimitResponse response =
        client.ask("shop", descriptor("tenant=acme"), descriptor(0, "user=ann"));
    assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(remaining("tenant=acme")).isEqualTo(100);
  }

  @Test
  void ask_negativeHits_areGivenBack() {
    take("user=ann", 3);
    RateLimitDescriptor refund = entry("user=ann").setIsNegativeHits(true).build();
    assertThat(client.ask("shop", refund).getOverallCode()).isEqualTo(Code.OK);

    assertThat(remaining("user=ann")).isEqualTo(1);
  }

  @Test
  void ask_costOfDeniedRequest_isChargedOnlyWithOverdraft() {
    take("user=ann", 2);
    assertThat(client.ask("shop", descriptor(3, "user=ann")).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(remaining("user=ann")).isEqualTo(1);

    restart(Map.of(Setting.ENVOY_OVERDRAFT, "true"));
    take("user=ann", 2);
    assertThat(client.ask("shop", descriptor(3, "user=ann")).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(client.ask("shop", descriptor(0, "user=ann")).getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    clock.advance(Duration.ofSeconds(59));
    assertThat(code("user=ann")).isEqualTo(Code.OVER_LIMIT);
    clock.advance(Duration.ofSeconds(1));
    assertThat(code("user=ann")).isEqualTo(Code.OK);
  }

  @Test
  void ask_limitOfZero_isAlwaysDenied() {
    assertThat(code("banned=ann")).isEqualTo(Code.OVER_LIMIT);
    clock.advance(Duration.ofDays(400));
    assertThat(code("banned=ann")).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void ask_unlimited_saysSo() {
    RateLimitResponse.DescriptorStatus status =
        client.ask("shop", descriptor("free=ann")).getStatuses(0);

    assertThat(status.getCode()).isEqualTo(Code.OK);
    assertThat(status.getLimitRemaining()).isEqualTo(-1);
    assertThat(status.hasCurrentLimit()).isFalse();
  }

  @Test
  void ask_limitThatIsReplaced_isNotCounted() {
    RateLimitResponse response = client.ask("shop", descriptor("user=ann"), descriptor("vip=ann"));

    assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
    assertThat(response.getStatuses(1).getLimitRemaining()).isEqualTo(9);
    assertThat(remaining("user=ann")).isEqualTo(3);
  }

  @Test
  void ask_shadowMode_countsWithoutDenying() {
    assertThat(code("trial=ann")).isEqualTo(Code.OK);
    RateLimitResponse second = client.ask("shop", descriptor("trial=ann"));

    assertThat(second.getOverallCode()).isEqualTo(Code.OK);
    assertThat(second.getStatuses(0).getCode()).isEqualTo(Code.OK);
    assertThat(second.getStatuses(0).getLimitRemaining()).isZero();
  }

  @Test
  void ask_quotaMode_deniesWhenAllQuotasAreExceeded() {
    RateLimitDescriptor[] all = {
      descriptor("user=ann"), descriptor("backend=one"), descriptor("backend=two")
    };
    assertThat(client.ask("shop", all).getOverallCode()).isEqualTo(Code.OK);
    RateLimitResponse second = client.ask("shop", all);
    assertThat(second.getOverallCode()).isEqualTo(Code.OK);
    assertThat(second.getStatusesList())
        .extracting(RateLimitResponse.DescriptorStatus::getCode)
        .containsExactly(Code.OK, Code.OVER_LIMIT, Code.OK);
    assertThat(client.ask("shop", all).getOverallCode()).isEqualTo(Code.OVER_LIMIT);

    assertThat(remaining("user=ann")).isEqualTo(1);
  }

  @Test
  void ask_limitOfTheRequest_overridesTheConfiguredOne() {
    RateLimitDescriptor stated =
        entry("user=ann")
            .setLimit(
                RateLimitDescriptor.RateLimitOverride.newBuilder()
                    .setRequestsPerUnit(1)
                    .setUnit(RateLimitUnit.DAY))
            .build();
    assertThat(client.ask("shop", stated).getStatuses(0).getCurrentLimit().getUnit())
        .isEqualTo(RateLimitResponse.RateLimit.Unit.DAY);

    assertThat(client.ask("shop", stated).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(remaining("user=ann")).isEqualTo(3);
    assertThat(client.ask("other", stated).getOverallCode()).isEqualTo(Code.OK);
  }

  @Test
  void ask_manyLimitsOfRequests_keepWhatWasConsumed() {
    for (int i = 1; i <= 2 * EnvoyLimits.MAX_OVERRIDES; i++) {
      assertThat(client.ask("shop", stating(i)).getOverallCode()).isEqualTo(Code.OK);
    }
    assertThat(client.ask("shop", stating(1)).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(client.ask("shop", stating(10)).getStatuses(0).getLimitRemaining()).isEqualTo(8);
  }

  private static RateLimitDescriptor stating(int perHour) {
    return entry("user=ann")
        .setLimit(
            RateLimitDescriptor.RateLimitOverride.newBuilder()
                .setRequestsPerUnit(perHour)
                .setUnit(RateLimitUnit.HOUR))
        .setHitsAddend(UInt64Value.of(1))
        .build();
  }

  @Test
  void ask_withoutMatch_isAllowed() {
    assertThat(code("unknown=ann")).isEqualTo(Code.OK);
    assertThat(client.ask("unknown", descriptor("user=ann")).getOverallCode()).isEqualTo(Code.OK);
    assertThat(server.admin("/metrics").body()).contains("penstock_envoy_unmatched_total 2.0");
  }

  @Test
  void ask_incompleteRequest_isRejected() {
    assertThat(failure("", descriptor("user=ann")).getDescription())
        .isEqualTo("domain must not be empty");
    assertThat(failure("shop").getDescription()).isEqualTo("descriptors must not be empty");
    assertThat(
            failure(
                    entry("user=ann")
                        .setLimit(RateLimitDescriptor.RateLimitOverride.getDefaultInstance())
                        .build())
                .getDescription())
        .startsWith("limit.unit must be SECOND");
  }

  @Test
  void ask_decisions_areCountedAsThoseOfRules() {
    take("user=ann", 3);
    var unused = client.ask("shop", descriptor("user=ann"));

    assertThat(server.admin("/metrics").body())
        .contains(
            "penstock_decisions_total{mode=\"enforce\",outcome=\"allowed\",rule=\"shop.user\"} 3.0")
        .contains(
            "penstock_decisions_total{mode=\"enforce\",outcome=\"denied\",rule=\"shop.user\"} 1.0")
        .contains("penstock_envoy_requests_total{outcome=\"over_limit\"} 1.0");
  }

  @Test
  void ask_withHeaders_namesTheTightestLimit() {
    restart(Map.of(Setting.ENVOY_HEADERS, "true"));
    RateLimitResponse response =
        client.ask("shop", descriptor("tenant=acme"), descriptor("user=ann"));

    assertThat(response.getResponseHeadersToAddList())
        .extracting(header -> header.getKey() + ": " + header.getValue())
        .containsExactly("RateLimit-Limit: 3", "RateLimit-Remaining: 2", "RateLimit-Reset: 20");
  }

  @Test
  void ask_withDynamicMetadata_passesItOn() {
    restart(Map.of(Setting.ENVOY_DYNAMIC_METADATA, "true"));
    RateLimitResponse response =
        client.ask("shop", descriptor(2, "week=1"), descriptor("user=ann"));

    assertThat(response.getDynamicMetadata().getFieldsMap().keySet())
        .containsExactlyInAnyOrder("domain", "descriptors", "metadata");
    assertThat(post(ports()[0], question("week")).body())
        .endsWith(
            """
            ,"dynamicMetadata":{"domain":"shop","descriptors":[{"entries":["week=ann"]}],\
            "hitsAddend":2.0,"metadata":{"service":{"name":"weekly","weights":[1.0,true,null]}}}}\
            """);
  }

  @Test
  void ask_shadowAndQuotaBesideADenial_haveNoFigures() {
    restart(Map.of(Setting.ENVOY_HEADERS, "true"));
    RateLimitResponse response =
        client.ask(
            "shop",
            descriptor("trial=a"),
            descriptor("backend=one"),
            descriptor("tenant=t"),
            descriptor("banned=x"));

    // A limit with 0 remaining would be the one that Envoy names in its own headers.
    assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    for (int i = 0; i < 2; i++) {
      assertThat(response.getStatuses(i).getCode()).isEqualTo(Code.OK);
      assertThat(response.getStatuses(i).hasCurrentLimit()).isFalse();
    }
    assertThat(response.getStatuses(2).getCode()).isEqualTo(Code.OK);
    assertThat(response.getStatuses(2).getLimitRemaining()).isEqualTo(100);
    assertThat(response.getStatuses(3).getCode()).isEqualTo(Code.OVER_LIMIT);
    assertThat(response.getStatuses(3).getCurrentLimit().getRequestsPerUnit()).isZero();
    assertThat(response.getResponseHeadersToAddList())
        .filteredOn(header -> header.getKey().equals("RateLimit-Limit"))
        .singleElement()
        .extracting(header -> header.getValue())
        .isEqualTo("0");
  }

  @Test
  void ask_refundedDescriptor_hasNoFigures() {
    RateLimitResponse response =
        client.ask(
            "shop", entry("user=ann").setIsNegativeHits(true).build(), descriptor("tenant=t"));

    assertThat(response.getStatuses(0).hasCurrentLimit()).isFalse();
    assertThat(response.getStatuses(1).getLimitRemaining()).isEqualTo(99);
  }

  @Test
  void ask_fixedWindowAndQuotasExceeded_takesNothing() {
    restart(Map.of(Setting.ENVOY_ALGORITHM, "fixed_window"));
    take("backend=one", 1);

    assertThat(
            client
                .ask("shop", descriptor("tenant=acme"), descriptor("backend=one"))
                .getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(remaining("tenant=acme")).isEqualTo(100);
  }

  @Test
  void ask_fixedWindowAndACheckThatFails_takesNothing() {
    restart(Map.of(Setting.ENVOY_ALGORITHM, "fixed_window"));
    take("user=ann", 3);

    assertThat(
            client
                .ask("shop", descriptor("tenant=acme"), descriptor(0, "user=ann"))
                .getOverallCode())
        .isEqualTo(Code.OVER_LIMIT);
    assertThat(
            client
                .ask("shop", descriptor("tenant=acme"), descriptor(0, "user=bob"))
                .getOverallCode())
        .isEqualTo(Code.OK);
    assertThat(remaining("tenant=acme")).isEqualTo(99);
  }

  @Test
  void ask_allLimitsAreQuotas_deniesWhenAllAreExceeded() {
    restart(Map.of(Setting.ENVOY_QUOTA, "true"));
    take("user=ann", 3);

    assertThat(
            client.ask("shop", descriptor("tenant=acme"), descriptor("user=ann")).getOverallCode())
        .isEqualTo(Code.OK);
    assertThat(code("user=ann")).isEqualTo(Code.OVER_LIMIT);
  }

  @Test
  void ask_fixedWindow_countsByWindow() {
    restart(Map.of(Setting.ENVOY_ALGORITHM, "fixed_window"));
    take("user=ann", 3);
    assertThat(code("user=ann")).isEqualTo(Code.OVER_LIMIT);
    clock.advance(Duration.ofSeconds(60));
    assertThat(remaining("user=ann")).isEqualTo(3);
    assertThat(failure(entry("user=ann").setIsNegativeHits(true).build()).getDescription())
        .isEqualTo("is_negative_hits needs token buckets, not fixed windows");
  }

  @Test
  void ask_shadowForAll_deniesNothing() {
    restart(Map.of(Setting.ENVOY_SHADOW, "true"));
    RateLimitResponse response = client.ask("shop", descriptor(9, "user=ann"));

    assertThat(response.getOverallCode()).isEqualTo(Code.OK);
    assertThat(response.getStatuses(0).getCode()).isEqualTo(Code.OVER_LIMIT);
  }

  private Status failure(RateLimitDescriptor descriptor) {
    return failure("shop", descriptor);
  }

  private Status failure(String domain, RateLimitDescriptor... descriptors) {
    return catchThrowableOfType(StatusRuntimeException.class, () -> client.ask(domain, descriptors))
        .getStatus();
  }
}
