/** Query parameters and cookies, as the various origins read them. */
@NullMarked
package io.penstock.policy.parameter;

import org.jspecify.annotations.NullMarked;
