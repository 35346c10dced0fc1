/** Tokens whose claims rules may go by. */
@NullMarked
package io.penstock.policy.jwt;

import org.jspecify.annotations.NullMarked;
