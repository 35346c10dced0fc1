/** Requests that somebody states rather than sends: in a question to the service, or in a file. */
@NullMarked
package io.penstock.policy.request;

import org.jspecify.annotations.NullMarked;
