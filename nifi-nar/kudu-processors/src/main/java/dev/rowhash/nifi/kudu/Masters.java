package dev.rowhash.nifi.kudu;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The addresses of Kudu's masters. */
final class Masters {

    private static final int DEFAULT_PORT = 7051;
    private static final int MOST_PORT = 65_535;

    private final List<String> hosts = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    /** @throws IllegalArgumentException if an address is none; the message says which */
    Masters(final String addresses) {
        for (final String address : addresses.split(",", -1)) {
            add(address.trim());
        }
    }

    private void add(final String address) {
        // [::1]:7051 has its port after the bracket; one with several colons and no bracket has none.
        final int colon = address.lastIndexOf(':');
        final boolean hasPort = colon >= 0 && (address.startsWith("[") ? address.charAt(colon - 1) == ']'
                : address.indexOf(':') == colon);
        final String host = (hasPort ? address.substring(0, colon) : address).replaceAll("^\\[|]$", "");
        final int port = hasPort ? port(address.substring(colon + 1)) : DEFAULT_PORT;
        if (host.isEmpty() || host.contains(" ") || port < 1 || port > MOST_PORT) {
            throw new IllegalArgumentException("'" + address + "' is no address: write host or host:port, several separated"
                    + " by commas");
        }
        hosts.add(host);
        ports.add(port);
    }

    private static int port(final String text) {
        try {
            return Integer.parseInt(text);
        } catch (final NumberFormatException e) {
            return 0;
        }
    }

    /** Why nobody listens at any of the addresses; empty as soon as somebody does at one. */
    List<String> unreachable(final int timeoutMillis) {
        final List<String> reasons = new ArrayList<>();
        for (int i = 0; i < hosts.size(); i++) {
            final InetSocketAddress address = new InetSocketAddress(hosts.get(i), ports.get(i));
            try (Socket socket = new Socket()) {
                socket.connect(address, timeoutMillis);
                return Collections.emptyList();
            } catch (final IOException e) {
                reasons.add(hosts.get(i) + ":" + ports.get(i) + ": " + e.getMessage());
            }
        }
        return reasons;
    }
}
