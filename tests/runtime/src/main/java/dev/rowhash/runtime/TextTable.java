package dev.rowhash.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Aligned columns for a terminal, in which Hangul and emoji are two cells wide. */
final class TextTable {
    private static final String GAP = "  ";

    private final int widest;
    private final List<List<String>> lines = new ArrayList<>();

    /** Longer values are cut, the cut shown by an ellipsis. */
    TextTable(final int widest, final List<String> header) {
        this.widest = widest;
        add(header);
    }

    void add(final List<String> values) {
        lines.add(values.stream().map(this::cut).toList());
    }

    List<String> lines() {
        final int[] widths = IntStream.range(0, lines.get(0).size())
                .map(column -> lines.stream().mapToInt(line -> width(line.get(column))).max().orElse(0)).toArray();
        return lines.stream().map(line -> IntStream.range(0, widths.length)
                .mapToObj(column -> line.get(column) + " ".repeat(widths[column] - width(line.get(column))))
                .collect(Collectors.joining(GAP)).stripTrailing()).toList();
    }

    private String cut(final String value) {
        if (width(value) <= widest) {
            return value;
        }
        final StringBuilder kept = new StringBuilder();
        for (int i = 0; i < value.length(); i = value.offsetByCodePoints(i, 1)) {
            final int codePoint = value.codePointAt(i);
            if (width(kept.toString()) + cells(codePoint) > widest - 1) {
                break;
            }
            kept.appendCodePoint(codePoint);
        }
        return kept + "…";
    }

    private static int width(final String value) {
        return value.codePoints().map(TextTable::cells).sum();
    }

    private static int cells(final int codePoint) {
        if (Character.getType(codePoint) == Character.FORMAT || codePoint >= 0x1160 && codePoint <= 0x11FF) {
            return 0; // joiners, and the vowels and finals of decomposed Hangul
        }
        final boolean wide = codePoint >= 0x1100 && codePoint <= 0x115F || codePoint >= 0x2E80 && codePoint <= 0xA4CF
                || codePoint >= 0xAC00 && codePoint <= 0xD7A3 || codePoint >= 0x1F300;
        return wide ? 2 : 1;
    }
}
