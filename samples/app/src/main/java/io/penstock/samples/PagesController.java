package io.penstock.samples;

import io.penstock.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class PagesController {
  /** Limited without blocking, with a cost for each page. */
  @RateLimited(rule = "export", key = "#shop", cost = "#pages * 0.5")
  @GetMapping("/pages/{shop}/{pages}")
  Mono<String> pages(@PathVariable String shop, @PathVariable int pages) {
    return Mono.fromSupplier(() -> pages + " pages of " + shop);
  }

  /** Limited by user: the key comes from the rule's limit_keys. */
  @RateLimited("drafts")
  @GetMapping("/drafts")
  Mono<String> drafts() {
    return Mono.just("drafts");
  }
}
