package dev.rowhash.nifi;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;

/** The lines of rejects, one at a time, blank ones left out. One that never ends is given up and not held in memory. */
final class RejectLines implements AutoCloseable {

    static final int MAX_CHARACTERS = 16 * 1024 * 1024;

    private final Reader in;
    private int number;

    RejectLines(final InputStream in) {
        this.in = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    /** The next line; null at the end. */
    String next() throws IOException {
        final StringBuilder line = new StringBuilder();
        int character = in.read();
        while (character >= 0) {
            number++;
            while (character >= 0 && character != '\n') {
                if (line.length() == MAX_CHARACTERS) {
                    throw new IOException("line " + number + " has more than " + MAX_CHARACTERS + " characters");
                }
                line.append((char) character);
                character = in.read();
            }
            if (!isBlank(line)) {
                return line.toString();
            }
            line.setLength(0);
            character = in.read();
        }
        return null;
    }

    private static boolean isBlank(final CharSequence line) {
        return line.chars().allMatch(Character::isWhitespace);
    }

    /** That of the line which was read last, from 1. */
    int number() {
        return number;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
