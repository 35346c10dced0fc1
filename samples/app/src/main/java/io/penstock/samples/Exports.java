package io.penstock.samples;

import io.penstock.spring.RateLimited;
import org.springframework.stereotype.Service;

@Service
class Exports {
  @RateLimited(rule = "export", key = "#shop")
  String of(String shop) {
    return "all of " + shop;
  }
}
