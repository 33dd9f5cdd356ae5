package dev.rowhash.nifi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.nifi.flowfile.FlowFile;

/**
 * Notices loaded items whose row_hash another item of their unit had before: they are one row of
 * the table. What it remembers is of a fixed size, on this node, and gone after a restart; an item
 * that comes again is never taken for another one. So it counts too few rather than too many. For
 * one thread.
 */
final class IdenticalRows {

    static final String OF_A_FILE = "rows.identical";

    private static final int SLOTS = 1 << 18;
    private static final long NONE = -1;

    /** The row that was last seen in each slot, as 64 bits of a digest, and its lowest and highest item. */
    private long[] rows;
    private long[] lowest;
    private long[] highest;

    /** How many rows of a loaded FlowFile are equal to an earlier one of their unit, as far as is known. */
    long in(final FlowFile flowFile, final EventReader reader) {
        final String hash = reader.rowHash(flowFile);
        if (hash == null || hash.isEmpty()) {
            return number(flowFile.getAttribute(OF_A_FILE), 0);
        }
        final long item = number(flowFile.getAttribute("fragment.index"), number(reader.field(flowFile, "kafka_offset"), -1));
        return item >= 0 && isIdentical(row(flowFile, reader, hash), item) ? 1 : 0;
    }

    /** What is no number counts for nothing here: whether it is wrong is for the ledger to say. */
    private static long number(final String text, final long otherwise) {
        return text != null && text.matches("\\d{1,18}") ? Long.parseLong(text) : otherwise;
    }

    private static long row(final FlowFile flowFile, final EventReader reader, final String hash) {
        final String unit = Stream.of("src_type", "regn", "db_name", "table_name", "base_dts", "load.unit",
                        "fragment.identifier", "kafka_topic", "kafka_partition")
                .map(field -> reader.field(flowFile, field))
                .collect(Collectors.joining("\n"));
        return UUID.nameUUIDFromBytes((unit + '\n' + hash).getBytes(StandardCharsets.UTF_8)).getLeastSignificantBits();
    }

    /** An item between the lowest and the highest may be one that comes again, so it does not count. */
    private boolean isIdentical(final long row, final long item) {
        if (rows == null) {
            rows = new long[SLOTS];
            lowest = new long[SLOTS];
            highest = new long[SLOTS];
            Arrays.fill(lowest, NONE);
        }
        final int slot = (int) (row & SLOTS - 1);
        if (rows[slot] != row || lowest[slot] == NONE) {
            rows[slot] = row;
            lowest[slot] = item;
            highest[slot] = item;
            return false;
        }
        final boolean identical = item < lowest[slot] || item > highest[slot];
        lowest[slot] = Math.min(lowest[slot], item);
        highest[slot] = Math.max(highest[slot], item);
        return identical;
    }
}
