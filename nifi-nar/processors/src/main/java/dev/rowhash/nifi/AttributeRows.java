package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.HashedRow;
import dev.rowhash.nifi.jni.RowBatch;
import dev.rowhash.nifi.jni.RowHashException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.apache.nifi.flowfile.FlowFile;

/**
 * Hashes FlowFiles whose attributes are the row: as many as possible in one native call, and one
 * by one after a failure, so that only the FlowFile that causes it is lost for the others.
 */
final class AttributeRows {

    /** So that many large rows are not copied into one huge array, but stay in the processor's cache. */
    static final int MAX_CHARACTERS_A_CALL = 256 * 1024;

    /** A FlowFile with its hash, or with the reason why it has none. */
    static final class Result {
        private final FlowFile flowFile;
        private final HashedRow row;
        private final RowHashException failure;

        private Result(final FlowFile flowFile, final HashedRow row, final RowHashException failure) {
            this.flowFile = flowFile;
            this.row = row;
            this.failure = failure;
        }

        FlowFile flowFile() {
            return flowFile;
        }

        /** Null if and only if there is a failure. */
        HashedRow row() {
            return row;
        }

        RowHashException failure() {
            return failure;
        }
    }

    private final Supplier<RowBatch> batches;
    private final int maxCharacters;

    AttributeRows(final Supplier<RowBatch> batches) {
        this(batches, MAX_CHARACTERS_A_CALL);
    }

    AttributeRows(final Supplier<RowBatch> batches, final int maxCharacters) {
        this.batches = batches;
        this.maxCharacters = maxCharacters;
    }

    List<Result> hash(final List<FlowFile> flowFiles) {
        final List<Result> results = new ArrayList<>(flowFiles.size());
        while (results.size() < flowFiles.size()) {
            results.addAll(hashChunk(flowFiles.subList(results.size(), flowFiles.size())));
        }
        return results;
    }

    /** Hashes at least the first of the FlowFiles, and more until the limit of characters is reached. */
    private List<Result> hashChunk(final List<FlowFile> flowFiles) {
        final RowBatch batch = batches.get();
        int taken = 0;
        try {
            while (taken < flowFiles.size() && batch.characters() < maxCharacters) {
                batch.add(flowFiles.get(taken++)::getAttribute);
            }
            final List<HashedRow> rows = batch.hash();
            final List<Result> results = new ArrayList<>(taken);
            for (int i = 0; i < taken; i++) {
                results.add(new Result(flowFiles.get(i), rows.get(i), null));
            }
            return results;
        } catch (final RowHashException e) {
            return taken == 1
                    ? Collections.singletonList(new Result(flowFiles.get(0), null, e))
                    : hashOneByOne(flowFiles.subList(0, taken));
        }
    }

    private List<Result> hashOneByOne(final List<FlowFile> flowFiles) {
        final List<Result> results = new ArrayList<>(flowFiles.size());
        for (final FlowFile flowFile : flowFiles) {
            results.addAll(hashChunk(Collections.singletonList(flowFile)));
        }
        return results;
    }
}
