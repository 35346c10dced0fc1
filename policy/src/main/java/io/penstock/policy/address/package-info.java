/** IP addresses and networks, and the address of a client behind proxies. */
@NullMarked
package io.penstock.policy.address;

import org.jspecify.annotations.NullMarked;
