package dev.rowhash.groovy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;

/** Rows as a flow may have them: mostly plain, often odd, sometimes broken. The same seed gives the same rows. */
final class RowGenerator {

    static final List<String> CALL_COLUMNS = List.of("ts", "epid", "serviceid", "functiontype", "clickid", "response", "userid", "comp",
            "suborg", "llmurl", "llmtype", "input", "output", "func_name", "func_name_en", "analyticsyn", "devicetype");

    private static final int TABLES = 400;
    private static final int[] LONG_LENGTHS = {1023, 1024, 1025, 65_535, 65_536, 65_537, 70_000, 131_073};

    /** Values that some layer is known to change, drop or take for something else. */
    private static final List<String> ODD_VALUES = List.of(
            " ", "  ", "\t", "\n", "\r", "\r\n", "\0", "a\0b", "a\r", "x\ry", "\uFEFF", "\uFEFFa", "\u00A0", "\u3000", "\u200B", "\u2028", "\u2029", "\u0085",
            "|", "||", "x|y", "|x", "x|", "\\N", "\\N|\\N", "\\n", "\\", "\\\\", "\\|", "N", "x\\",
            "\uAC01", "\u1100\u1161\u11A8", "\u00E9", "e\u0301", "\u0301", "\u3131", "\uF90A", "\u0130", "\u0131", "\u00DF",
            "\uD83D\uDE00", "\uD83D\uDC68\u200D\uD83D\uDC69", "\uD800", "\uDC00", "\uDE00\uD83D", "\uD83D\uD83D\uDE00", "ab\uD83D", "\uDE00ab", "\uFFFF", "\uFFFD", "?",
            "null", "NULL", "0", "false", "5", "5.000000", "-0.0", "1E7", "1.0E-5", "NaN", "1e3", "0000007",
            "${ts}", "$1", "%s %d", "100%", "\"", "'", "\"\"", "{\"k\":\"v\"}", "<b>&amp;", "2026-02-25 14:30:00.123");

    private static final List<String> ODD_NAMES = List.of("Id", "ID", "id", "\u0131d", "\u0130d", "col.1", "col.2", "col.10", "func_name", "FUNC_NAME",
            "functiontype", "FUNCTIONTYPE", "a", "a.b", "a_b", "ab", "a-b", "aB", "a b", "\uC774\uB984", "\uBD80\uC11C", "\u6F22\u5B57", "\u540D\u524D",
            "\uD7FF", "\uE000", "\uFF5E", "\uFFFD", "\uD83D\uDE00", "\uD800\uDC00", "\uDBFF\uDFFF", "\u00E9", "e\u0301", "a|b", "a\\N", "${a}", "\"a\"", "filename", "path");

    /** The column list as written in the property, null for the script's own list, and a FlowFile's attributes. */
    record Row(String name, String columnList, Map<String, String> attributes) {
    }

    private final Random random;
    private final List<List<String>> tables = new ArrayList<>();
    private int made;

    RowGenerator(final long seed) {
        random = new Random(seed);
        while (tables.size() < TABLES) {
            tables.add(columnNames());
        }
    }

    static Row of(final Vectors.Case golden) {
        return new Row(golden.name(), golden.columnList(), golden.row());
    }

    /** Each odd value alone, in the middle of a row, and in each column. */
    static List<Row> oddRows() {
        final List<Row> rows = new ArrayList<>();
        for (final String value : ODD_VALUES) {
            rows.add(new Row("odd value alone", "a", Map.of("a", value)));
            rows.add(new Row("odd value in the middle", "a,b,c", Map.of("a", "x", "b", value, "c", "y")));
            rows.add(new Row("odd value everywhere", "a,b,c", Map.of("a", value, "b", value, "c", value)));
        }
        return rows;
    }

    Row next() {
        made++;
        final boolean call = made % 2 == 0;
        final List<String> columns = call ? CALL_COLUMNS : tables.get(random.nextInt(TABLES));
        final Map<String, String> attributes = new HashMap<>();
        for (final String column : columns) {
            final String value = value();
            if (value != null) {
                attributes.put(column, value);
            }
        }
        if (random.nextInt(4) == 0) {
            attributes.put("fragment.index", Integer.toString(made));
            attributes.put("row_hash", "stale");
        }
        return new Row("generated row " + made, call ? null : written(columns), attributes);
    }

    private List<String> columnNames() {
        final int count = random.nextInt(20) == 0 ? 100 : 1 + random.nextInt(24);
        final Set<String> names = new LinkedHashSet<>();
        while (names.size() < count) {
            names.add(random.nextInt(3) == 0 ? pick(ODD_NAMES) : name());
        }
        final List<String> shuffled = new ArrayList<>(names);
        Collections.shuffle(shuffled, random);
        return shuffled;
    }

    private String name() {
        final int length = 1 + random.nextInt(12);
        return switch (random.nextInt(6)) {
            case 0 -> text(length, 0xAC00, 0xD7A3);
            case 1 -> text(length, 0x4E00, 0x9FFF);
            case 2 -> text(length, 0xE000, 0xFDCF);
            case 3 -> text(length, 0x1F300, 0x1FAFF);
            case 4 -> text(length, 'A', 'Z') + '_' + text(length, '0', '9');
            default -> text(length, 'a', 'z') + (random.nextBoolean() ? "." : "_") + random.nextInt(20);
        };
    }

    /** As a person writes a list: with white space and line breaks here and there. */
    private String written(final List<String> columns) {
        final StringBuilder list = new StringBuilder();
        for (final String column : columns) {
            if (!list.isEmpty()) {
                list.append(pick(List.of(",", ",", ", ", " ,", ",\n  ", ",\r\n\t", ",\u3000")));
            }
            list.append(column);
        }
        return list.toString();
    }

    private String value() {
        final int dice = random.nextInt(2000);
        if (dice == 0) {
            return longValue();
        }
        return switch (dice % 20) {
            case 0, 1, 2 -> null;
            case 3, 4 -> "";
            case 5, 6, 7 -> pick(ODD_VALUES);
            case 8, 9 -> pick(ODD_VALUES) + pick(ODD_VALUES) + pick(ODD_VALUES);
            case 10 -> units(1 + random.nextInt(24));
            case 11 -> text(1 + random.nextInt(24), 0, Character.MAX_CODE_POINT);
            case 12 -> text(1 + random.nextInt(8), 0x1F300, 0x1FAFF);
            case 13, 14, 15 -> text(1 + random.nextInt(60), 0xAC00, 0xD7A3);
            // Around the lengths where MD5 needs one block more.
            case 16 -> text(50 + random.nextInt(80), 'a', 'z');
            default -> text(1 + random.nextInt(30), ' ', '~');
        };
    }

    private String longValue() {
        final int length = LONG_LENGTHS[random.nextInt(LONG_LENGTHS.length)];
        return random.nextBoolean() ? text(length, ' ', '~') : text(length, 0xAC00, 0xD7A3);
    }

    private String text(final int length, final int first, final int last) {
        final IntPredicate whole = codePoint -> codePoint < Character.MIN_SURROGATE || codePoint > Character.MAX_SURROGATE;
        final int[] codePoints = random.ints(first, last + 1).filter(whole).limit(length).toArray();
        return new String(codePoints, 0, length);
    }

    /** Any UTF-16 code units, so most surrogates are unpaired. */
    private String units(final int length) {
        final char[] units = new char[length];
        for (int i = 0; i < length; i++) {
            units[i] = (char) (random.nextBoolean() ? random.nextInt(0x10000) : 0xD700 + random.nextInt(0xA00));
        }
        return new String(units);
    }

    private String pick(final List<String> from) {
        return from.get(random.nextInt(from.size()));
    }
}
