package io.penstock.contract;

/**
 * The conformance suite that every store has to pass. The test of a store extends this class; it
 * implements {@link FailurePolicyContract} as well if the store can become unavailable.
 *
 * <p>The tests use the keys {@code k}, {@code another}, {@code a} to {@code d} and {@link
 * InvalidInputContract#UNUSUAL_KEYS}, and limiters called {@code global} without keys.
 */
public abstract class StoreContract
    implements TokenBucketContract,
        ChargeContract,
        WaitContract,
        GlobalLimiterContract,
        WindowContract,
        JointRequestContract,
        LimitChangeContract,
        ConcurrencyContract,
        InvalidInputContract {}
