/**
 * Parts of reports: plots and tables for terminals, and pages in HTML without external resources.
 */
@NullMarked
package io.penstock.policy.report;

import org.jspecify.annotations.NullMarked;
