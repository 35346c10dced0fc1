/**
 * The in-process store. Start with {@link io.penstock.inprocess.InProcessStore}; {@code
 * BucketTable} decides requests under token buckets, {@code WindowTable} those under windows.
 */
@NullMarked
package io.penstock.inprocess;

import org.jspecify.annotations.NullMarked;
