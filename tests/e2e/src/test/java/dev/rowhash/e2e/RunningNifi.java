package dev.rowhash.e2e;

import dev.rowhash.runtime.NifiServer;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** One NiFi for all tests of a class; a test that fails says where its logs are. */
final class RunningNifi implements BeforeAllCallback, AfterAllCallback, TestWatcher {
    private final Supplier<NifiServer.Builder> builder;
    private NifiServer server;

    RunningNifi(final Supplier<NifiServer.Builder> builder) {
        this.builder = builder;
    }

    NifiServer server() {
        return server;
    }

    @Override
    public void beforeAll(final ExtensionContext context) {
        server = builder.get().start();
    }

    @Override
    public void afterAll(final ExtensionContext context) {
        if (server != null) {
            server.close();
        }
    }

    @Override
    public void testFailed(final ExtensionContext context, final Throwable cause) {
        System.err.println(context.getDisplayName() + " failed; NiFi's logs: " + server.logs());
    }
}
