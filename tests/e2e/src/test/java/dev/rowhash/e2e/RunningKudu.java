package dev.rowhash.e2e;

import dev.rowhash.runtime.KuduServer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** One Kudu for all tests of a class. */
final class RunningKudu implements BeforeAllCallback, AfterAllCallback {
    private KuduServer server;

    KuduServer server() {
        return server;
    }

    @Override
    public void beforeAll(final ExtensionContext context) {
        server = KuduServer.start();
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        if (server != null) {
            server.close();
        }
    }
}
