package org.apache.kudu.client;

/** The client's own way to have requests fail, which only its package can take. */
public final class FailingRpcs {
    private FailingRpcs() {
    }

    /** The next requests, whatever they are, fail for good with this status. */
    public static void next(final int requests, final Status status) {
        RpcProxy.failNextRpcs(requests, new NonRecoverableException(status));
    }
}
