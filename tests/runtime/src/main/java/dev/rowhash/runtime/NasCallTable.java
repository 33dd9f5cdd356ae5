package dev.rowhash.runtime;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.AsyncKuduScanner.ReadMode;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduClient;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.RowResult;

/** The table {@code bronze.nas_copilot_call} in a real Kudu. */
public final class NasCallTable {
    public static final String NAME = "bronze.nas_copilot_call";

    private static final int PARTITIONS = 6;

    private final KuduClient kudu;

    private NasCallTable(final KuduClient kudu) {
        this.kudu = kudu;
    }

    /** Creates the table, empty; one that is there is dropped first. */
    public static NasCallTable create(final KuduServer server) {
        final KuduClient kudu = server.client();
        final List<ColumnSchema> columns = NasCall.TABLE_COLUMNS.stream().map(NasCallTable::column).toList();
        try {
            if (kudu.tableExists(NAME)) {
                kudu.deleteTable(NAME);
            }
            kudu.createTable(NAME, new Schema(columns),
                    new CreateTableOptions().addHashPartitions(NasCall.KEY, PARTITIONS).setNumReplicas(1));
        } catch (final KuduException e) {
            throw new RuntimeFailure("Cannot create the table " + NAME, e);
        }
        return new NasCallTable(kudu);
    }

    private static ColumnSchema column(final String name) {
        final boolean key = NasCall.KEY.contains(name);
        return new ColumnSchema.ColumnSchemaBuilder(name, Type.STRING).key(key).nullable(!key).build();
    }

    /** Every row; null cells are null. */
    public List<StoredCall> rows() {
        final List<StoredCall> rows = new ArrayList<>();
        try {
            final KuduScanner scanner = kudu.newScannerBuilder(kudu.openTable(NAME)).readMode(ReadMode.READ_LATEST).build();
            while (scanner.hasMoreRows()) {
                for (final RowResult row : scanner.nextRows()) {
                    rows.add(stored(row));
                }
            }
        } catch (final KuduException e) {
            throw new RuntimeFailure("Cannot read the table " + NAME, e);
        }
        return rows;
    }

    /** How many rows there are. */
    public int count() {
        int count = 0;
        try {
            final KuduScanner scanner = kudu.newScannerBuilder(kudu.openTable(NAME)).readMode(ReadMode.READ_LATEST)
                    .setProjectedColumnNames(List.of()).build();
            while (scanner.hasMoreRows()) {
                count += scanner.nextRows().getNumRows();
            }
        } catch (final KuduException e) {
            throw new RuntimeFailure("Cannot count the rows of the table " + NAME, e);
        }
        return count;
    }

    private static StoredCall stored(final RowResult row) {
        final List<String> values = NasCall.COLUMNS.stream()
                .map(column -> row.isNull(column) ? null : row.getString(column))
                .collect(Collectors.toList());
        return new StoredCall(new NasCall(values), row.getString(NasCall.ROW_HASH));
    }

    /** A row of the table. */
    public record StoredCall(NasCall call, String rowHash) {
        /** What the row of this call must be. */
        public static StoredCall of(final NasCall call) {
            return new StoredCall(call, call.referenceHash());
        }

        /** The row as JSON shows it: all columns of the table in its order. */
        @JsonValue
        Map<String, String> byColumn() {
            final Map<String, String> row = new LinkedHashMap<>();
            NasCall.TABLE_COLUMNS.forEach(column ->
                    row.put(column, column.equals(NasCall.ROW_HASH) ? rowHash : call.value(column)));
            return row;
        }

        public boolean hasRightHash() {
            return rowHash.equals(call.referenceHash());
        }
    }
}
