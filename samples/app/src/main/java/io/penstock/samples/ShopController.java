package io.penstock.samples;

import io.penstock.spring.RateLimited;
import java.security.Principal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class ShopController {
  private final Exports exports;

  ShopController(Exports exports) {
    this.exports = exports;
  }

  /** For everybody: limited by address. */
  @GetMapping("/tea")
  String tea() {
    return "tea";
  }

  /** For users: limited by who they are. */
  @GetMapping("/orders")
  String orders(Principal user) {
    return "orders of " + user.getName();
  }

  /** The same without blocking, by what it costs. */
  @RateLimited(rule = "export", key = "#shop", cost = "#pages * 0.5")
  @GetMapping("/pages/{shop}/{pages}")
  Mono<String> pages(@PathVariable String shop, @PathVariable int pages) {
    return Mono.fromSupplier(() -> pages + " pages of " + shop);
  }

  /** Limited where the work is done. */
  @GetMapping("/exports/{shop}")
  String export(@PathVariable String shop) {
    return exports.of(shop);
  }
}
