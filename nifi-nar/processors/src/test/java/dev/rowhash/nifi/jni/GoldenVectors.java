package dev.rowhash.nifi.jni;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hashes every golden row through the native library alone and leaves the hashes of row_hash.json
 * as a leg's report. Argument: the leg's name. Exit code 1 if any hash or text differs.
 */
public final class GoldenVectors {

    private GoldenVectors() {
    }

    public static void main(final String[] arguments) {
        if (arguments.length != 1) {
            System.err.println("usage: GoldenVectors LEG");
            System.exit(2);
        }
        final Map<String, String> reported = new LinkedHashMap<>();
        Vectors.read("row_hash.json").forEach(golden -> reported.put(golden.name(), hash(golden)));
        Vectors.report(arguments[0], reported);

        final List<Vectors.Case> all = Vectors.all().toList();
        final List<Vectors.Case> wrong = all.stream().filter(golden -> !agrees(golden)).toList();
        wrong.forEach(golden -> System.err.println("differs: " + golden));
        System.out.println(arguments[0] + ": " + (all.size() - wrong.size()) + " of " + all.size()
                + " golden rows have their hash, on " + NativeLibrary.get().platform());
        System.exit(wrong.isEmpty() ? 0 : 1);
    }

    private static String hash(final Vectors.Case golden) {
        try (RowHasher hasher = RowHasher.open(golden.columnList(), "row_hash", golden.form())) {
            final RowBatch batch = hasher.batch();
            batch.add(golden.row()::get);
            return batch.hash().get(0).hash();
        }
    }

    private static boolean agrees(final Vectors.Case golden) {
        try (RowHasher hasher = RowHasher.open(golden.columnList(), "row_hash", golden.form())) {
            return hash(golden).equals(golden.rowHash())
                    && hasher.canonicalText(golden.row()::get).equals(golden.canonical());
        }
    }
}
