package dev.rowhash.nifi.kudu;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.rowhash.runtime.KuduServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.nifi.processor.Relationship;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.util.MockFlowFile;
import org.apache.nifi.util.MockProcessContext;
import org.apache.nifi.util.TestRunner;
import org.apache.nifi.util.TestRunners;

/** The processor in a TestRunner, with rows that a test gives as maps. */
final class Sink {

    static final ObjectMapper JSON = new ObjectMapper();
    private static final TypeReference<TreeMap<String, Object>> OBJECT = new TypeReference<>() {
    };

    private final TestRunner runner = TestRunners.newTestRunner(UpsertKudu.class);
    private final Rows rows = new Rows();
    private boolean first = true;

    Sink(final KuduServer kudu, final String table) {
        this(kudu.masters(), table);
    }

    Sink(final String masters, final String table) {
        try {
            runner.addControllerService("rows", rows);
        } catch (final InitializationException e) {
            throw new IllegalStateException(e);
        }
        runner.enableControllerService(rows);
        runner.setProperty(UpsertKudu.KUDU_MASTERS, masters);
        runner.setProperty(UpsertKudu.TABLE_NAME, table);
        runner.setProperty(UpsertKudu.RECORD_READER, "rows");
    }

    Sink set(final String property, final String value) {
        runner.setProperty(property, value);
        return this;
    }

    /** Does something when so many rows of a FlowFile have been read. */
    void at(final int rowsRead, final Runnable what) {
        rows.at(rowsRead, what);
    }

    Rows reader() {
        return rows;
    }

    TestRunner runner() {
        return runner;
    }

    @SafeVarargs
    final Sink enqueue(final Map<String, Object>... maps) {
        final List<Map<String, Object>> list = new ArrayList<>();
        for (final Map<String, Object> map : maps) {
            list.add(map);
        }
        return enqueue(list, Map.of());
    }

    Sink enqueue(final List<Map<String, Object>> maps, final Map<String, String> attributes) {
        runner.enqueue(rows.content(maps), attributes);
        return this;
    }

    /** Triggers once; the processor stays scheduled, with its client and its tables. */
    Sink trigger() {
        runner.run(1, false, first);
        first = false;
        return this;
    }

    void stop() {
        runner.stop();
    }

    List<MockFlowFile> success() {
        return of(UpsertKudu.REL_SUCCESS);
    }

    List<MockFlowFile> failure() {
        return of(UpsertKudu.REL_FAILURE);
    }

    List<MockFlowFile> retry() {
        return of(UpsertKudu.REL_RETRY);
    }

    private List<MockFlowFile> of(final Relationship relationship) {
        return runner.getFlowFilesForRelationship(relationship);
    }

    boolean hasYielded() {
        return ((MockProcessContext) runner.getProcessContext()).isYieldCalled();
    }

    int queued() {
        return runner.getQueueSize().getObjectCount();
    }

    void clear() {
        runner.clearTransferState();
    }

    /** The lines of rejects. */
    static List<TreeMap<String, Object>> rejects(final MockFlowFile flowFile) {
        return flowFile.getContent().lines().map(Sink::object).toList();
    }

    static TreeMap<String, Object> object(final String json) {
        try {
            return JSON.readValue(json, OBJECT);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
