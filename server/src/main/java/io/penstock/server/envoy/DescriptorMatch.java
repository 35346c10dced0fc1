package io.penstock.server.envoy;

import java.util.List;

/**
 * The limit that applies to a descriptor of a request.
 *
 * @param variables the values that select its bucket, one for each of its keys
 * @param metric what statistics name the limit for this descriptor
 */
record DescriptorMatch(DescriptorLimit limit, List<String> variables, String metric) {}
