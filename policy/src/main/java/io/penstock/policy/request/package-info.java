/** Requests that are described in JSON or YAML: in a call to the service, or in a file. */
@NullMarked
package io.penstock.policy.request;

import org.jspecify.annotations.NullMarked;
