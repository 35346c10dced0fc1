package io.penstock.samples;

import org.springframework.stereotype.Service;

@Service
class Exports {
  String of(String shop) {
    return "all of " + shop;
  }
}
