package dev.rowhash.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Ports of the loopback address. */
final class Ports {
    static final String HOST = "127.0.0.1";

    private static final int CONNECT_MILLIS = 500;

    private Ports() {
    }

    static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(HOST))) {
            return socket.getLocalPort();
        } catch (final IOException e) {
            throw new RuntimeFailure("No free port on " + HOST, e);
        }
    }

    static boolean isListening(final int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(HOST, port), CONNECT_MILLIS);
            return true;
        } catch (final IOException e) {
            return false;
        }
    }
}
