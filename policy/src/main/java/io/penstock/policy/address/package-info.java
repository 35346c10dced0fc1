/**
 * IP addresses and networks, and the address of a client behind proxies, from {@code
 * X-Forwarded-For} and similar headers. Start with {@link
 * io.penstock.policy.address.ClientAddress}.
 */
@NullMarked
package io.penstock.policy.address;

import org.jspecify.annotations.NullMarked;
