/** Addresses of clients and networks, and how to tell a client's address behind proxies. */
@NullMarked
package io.penstock.policy.address;

import org.jspecify.annotations.NullMarked;
