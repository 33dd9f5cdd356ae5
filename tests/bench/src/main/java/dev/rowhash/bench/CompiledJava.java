package dev.rowhash.bench;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;

/** The compatible form as one would write it in Java: what the native library is compared with. */
final class CompiledJava {
    private final List<String> columns;
    private final MessageDigest md5;
    private final StringBuilder text = new StringBuilder();

    CompiledJava(final List<String> columns) {
        this.columns = columns.stream().sorted().toList();
        try {
            this.md5 = MessageDigest.getInstance("MD5");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    String hash(final Function<String, String> row) {
        text.setLength(0);
        for (final String column : columns) {
            if (text.length() > 0) {
                text.append('|');
            }
            final String value = row.apply(column);
            text.append(value == null || value.isEmpty() ? "\\N" : value);
        }
        return HexFormat.of().formatHex(md5.digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    }
}
