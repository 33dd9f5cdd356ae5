package dev.rowhash.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Ports of the loopback address. */
final class Ports {
    static final String HOST = "127.0.0.1";

    private static final int CONNECT_MILLIS = 500;
    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;
    private static final Random RANDOM = new Random();
    private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

    private Ports() {
    }

    /**
     * A port that nobody listens on. It is none of those that the system hands out by itself, to outgoing connections
     * for example, and none that was given out here before: what is free now is so in a second too.
     */
    static int free() {
        return RANDOM.ints(FIRST, LAST).filter(port -> GIVEN.add(port) && canBind(port)).findFirst().getAsInt();
    }

    private static boolean canBind(final int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(HOST))) {
            return socket.isBound();
        } catch (final IOException e) {
            return false;
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
