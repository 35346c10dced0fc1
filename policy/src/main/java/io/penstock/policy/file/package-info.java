/** Checks on files before they are read. */
@NullMarked
package io.penstock.policy.file;

import org.jspecify.annotations.NullMarked;
