"""Asks the rate limit service with grpcio. Prints a line for each call, as client.js does.

The messages are encoded by hand, because Debian has no generated ones of Envoy.
"""
import sys

import grpc


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def request(domain, entries, descriptors=1):
    descriptor = b"".join(
        field(1, field(1, key.encode()) + field(2, value.encode())) for key, value in entries
    )
    return field(1, domain.encode()) + field(2, descriptor) * descriptors


def varints(message):
    """Returns the fields of a message by number: numbers, or bytes."""
    fields, at = {}, 0
    while at < len(message):
        tag, at = varint(message, at)
        value, at = varint(message, at)
        if tag & 7 == 2:
            value, at = message[at : at + value], at + value
        fields.setdefault(tag >> 3, value)
    return fields


def varint(message, at):
    value, shift = 0, 0
    while True:
        value |= (message[at] & 0x7F) << shift
        shift += 7
        at += 1
        if message[at - 1] < 0x80:
            return value, at


def main():
    with grpc.insecure_channel("127.0.0.1:" + sys.argv[1]) as channel:
        ask = channel.unary_unary("/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
        for call in (
            request("shop", [("user", "ann")]),
            request("shop", [("user", "ann")]),
            request("shop", [("user", "ann")]),
            request("shop", [("user", "ben")]),
            request("shop", [("unknown", "x")]),
            request("shop", [("user", "ann")], 101),
            request("", [("user", "ann")]),
        ):
            try:
                answer = varints(ask(call, timeout=60, wait_for_ready=True))
                status = varints(answer[2])
                print("code", answer[1], "status", status[1], "remaining", status.get(3, 0))
            except grpc.RpcError as error:
                print(error.code().name, error.details())
        health = channel.unary_unary("/grpc.health.v1.Health/Check")
        print("health", varints(health(b"", timeout=60))[1])


main()
