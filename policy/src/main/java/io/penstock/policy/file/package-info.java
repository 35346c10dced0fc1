/** What is read from files. */
@NullMarked
package io.penstock.policy.file;

import org.jspecify.annotations.NullMarked;
