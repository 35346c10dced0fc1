package io.penstock.samples;

import java.security.Principal;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ShopController {
  private final Exports exports;

  ShopController(Exports exports) {
    this.exports = exports;
  }

  /** Public; limited by address. */
  @GetMapping("/tea")
  String tea() {
    return "tea";
  }

  /** For authenticated users; limited by user. */
  @GetMapping("/orders")
  String orders(Principal user) {
    return "orders of " + user.getName();
  }

  /** The service method that does the work is limited. */
  @GetMapping("/exports/{shop}")
  String export(@PathVariable String shop) {
    return exports.of(shop);
  }
}
