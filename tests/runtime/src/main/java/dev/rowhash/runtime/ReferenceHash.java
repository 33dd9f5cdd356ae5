package dev.rowhash.runtime;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The compatible form in plain Java, written from its definition and sharing nothing with the product: what the demo
 * and the tests compare the product's hashes with.
 */
public final class ReferenceHash {
    private static final Comparator<String> BY_UTF8_BYTES =
            (left, right) -> Arrays.compareUnsigned(utf8(left), utf8(right));

    private ReferenceHash() {
    }

    /** {@code row}: the values by column name, without the hash itself. */
    public static String of(final Map<String, String> row) {
        final String canonical = row.keySet().stream().sorted(BY_UTF8_BYTES)
                .map(row::get)
                .map(value -> value == null || value.isEmpty() ? "\\N" : value)
                .collect(Collectors.joining("|"));
        return String.format("%032x", new BigInteger(1, md5(utf8(canonical))));
    }

    private static byte[] utf8(final String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] md5(final byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has MD5", e);
        }
    }
}
