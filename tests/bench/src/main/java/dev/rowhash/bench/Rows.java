package dev.rowhash.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Rows of the call table's 17 columns, made of a seed. */
final class Rows {
    static final List<String> COLUMNS = List.of("ts", "epid", "serviceid", "functiontype", "clickid", "response", "userid",
            "comp", "suborg", "llmurl", "llmtype", "input", "output", "func_name", "func_name_en", "analyticsyn",
            "devicetype");

    private static final long SEED = 20260302L;
    private static final char FIRST_HANGUL = '\uac00';
    private static final int HANGUL = 11_172;

    private Rows() {
    }

    /** {@code bytes}: the size of a row's values in UTF-8, about. */
    static List<Map<String, String>> of(final int rows, final String alphabet, final int bytes) {
        final Random random = new Random(SEED);
        final int characterBytes = alphabet.equals("korean") ? 3 : 1;
        final int length = bytes / characterBytes / COLUMNS.size();
        final List<Map<String, String>> made = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
            final Map<String, String> row = new HashMap<>();
            for (final String column : COLUMNS) {
                final StringBuilder value = new StringBuilder(length);
                for (int k = 0; k < length; k++) {
                    value.append(characterBytes == 3 ? (char) (FIRST_HANGUL + random.nextInt(HANGUL))
                            : (char) ('a' + random.nextInt(26)));
                }
                row.put(column, value.toString());
            }
            made.add(row);
        }
        return made;
    }
}
