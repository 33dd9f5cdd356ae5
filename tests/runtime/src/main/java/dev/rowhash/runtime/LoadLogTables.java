package dev.rowhash.runtime;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.ColumnSchema.ColumnSchemaBuilder;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.AsyncKuduScanner.ReadMode;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduClient;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.KuduSession;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.OperationResponse;
import org.apache.kudu.client.PartialRow;
import org.apache.kudu.client.RowResult;
import org.apache.kudu.client.Upsert;

/**
 * The two tables of the load log in a real Kudu, as docs/sql/load_log makes them. Rows are maps by column: texts,
 * Integer, Long and, for times, Instant.
 */
public final class LoadLogTables {
    /** The part of the tables' names before the point: a schema of Trino, a database of Impala. */
    public static final String SCHEMA = "bronze";

    private static final List<String> PARTITION_KEY = List.of("src_type", "regn");
    private static final int PARTITIONS = 4;

    private final KuduClient kudu;

    private LoadLogTables(final KuduClient kudu) {
        this.kudu = kudu;
    }

    /** Creates both tables, empty; those that are there are dropped first. */
    public static LoadLogTables create(final KuduServer server) {
        final LoadLogTables tables = new LoadLogTables(server.client());
        tables.drop();
        for (final Table table : Table.values()) {
            try {
                tables.kudu.createTable(table.kuduName(), table.schema(),
                        new CreateTableOptions().addHashPartitions(PARTITION_KEY, PARTITIONS).setNumReplicas(1));
            } catch (final KuduException e) {
                throw new RuntimeFailure("Cannot create the table " + table.kuduName(), e);
            }
        }
        return tables;
    }

    /** The tables that somebody else has made. */
    public static LoadLogTables of(final KuduServer server) {
        return new LoadLogTables(server.client());
    }

    public void drop() {
        for (final Table table : Table.values()) {
            try {
                if (kudu.tableExists(table.kuduName())) {
                    kudu.deleteTable(table.kuduName());
                }
            } catch (final KuduException e) {
                throw new RuntimeFailure("Cannot drop the table " + table.kuduName(), e);
            }
        }
    }

    /** Every row in no particular order; null cells are null. */
    public List<Map<String, Object>> rows(final Table table) {
        final List<Map<String, Object>> rows = new ArrayList<>();
        try {
            final KuduScanner scanner = kudu.newScannerBuilder(kudu.openTable(table.kuduName()))
                    .readMode(ReadMode.READ_LATEST).build();
            while (scanner.hasMoreRows()) {
                for (final RowResult row : scanner.nextRows()) {
                    rows.add(cells(row));
                }
            }
        } catch (final KuduException e) {
            throw new RuntimeFailure("Cannot read the table " + table.kuduName(), e);
        }
        return rows;
    }

    private static Map<String, Object> cells(final RowResult row) {
        final Map<String, Object> cells = new LinkedHashMap<>();
        for (final ColumnSchema column : row.getSchema().getColumns()) {
            final String name = column.getName();
            cells.put(name, row.isNull(name) ? null
                    : column.getType() == Type.UNIXTIME_MICROS ? row.getTimestamp(name).toInstant() : row.getObject(name));
        }
        return cells;
    }

    /** Writes a row; of one that is there, the columns that are not named keep their cells. */
    public void upsert(final Table table, final Map<String, ?> cells) {
        try {
            final KuduTable opened = kudu.openTable(table.kuduName());
            final Upsert upsert = opened.newUpsert();
            cells.forEach((name, cell) -> set(upsert.getRow(), name, cell));
            final KuduSession session = kudu.newSession();
            try {
                final OperationResponse response = session.apply(upsert);
                if (response.hasRowError()) {
                    throw new RuntimeFailure(table.kuduName() + " refuses " + cells + ": " + response.getRowError());
                }
            } finally {
                session.close();
            }
        } catch (final KuduException e) {
            throw new RuntimeFailure("Cannot write into the table " + table.kuduName(), e);
        }
    }

    private static void set(final PartialRow row, final String name, final Object cell) {
        if (cell == null) {
            row.setNull(name);
        } else if (cell instanceof Instant) {
            row.addLong(name, ChronoUnit.MICROS.between(Instant.EPOCH, (Instant) cell));
        } else {
            row.addObject(name, cell);
        }
    }

    /** One of the two tables. */
    public enum Table {
        MASTER("load_log_master", List.of()) {
            @Override
            Stream<ColumnSchemaBuilder> cells() {
                return Stream.of(texts("base_dt", "status"), numbers("src_count", "load_count", "error_count"),
                        times("start_ts", "end_ts", "created_dt", "updated_dt")).flatMap(columns -> columns);
            }
        },
        DETAIL("load_log_detail", List.of("detail_seq")) {
            @Override
            Stream<ColumnSchemaBuilder> cells() {
                return Stream.of(texts("base_dt", "status", "error_message", "error_processor"), numbers("retry_count"),
                        texts("file_path", "file_name", "line_content", "kafka_topic", "kafka_category", "kafka_svc"),
                        Stream.of(new ColumnSchemaBuilder("kafka_offset", Type.INT64)), numbers("kafka_partition"),
                        texts("record_key"), times("created_dt", "updated_dt")).flatMap(columns -> columns);
            }
        };

        private final String text;
        private final List<String> itemKey;

        Table(final String text, final List<String> itemKey) {
            this.text = text;
            this.itemKey = itemKey;
        }

        /** The name in Kudu: for the property Table Name. */
        public String kuduName() {
            return SCHEMA + "." + text;
        }

        public Schema schema() {
            final Stream<ColumnSchemaBuilder> key = Stream.concat(
                    texts("src_type", "regn", "db_name", "table_name", "base_dts"),
                    numbers(itemKey.toArray(String[]::new)));
            return new Schema(Stream.concat(key.map(column -> column.key(true)), cells().map(column -> column.nullable(true)))
                    .map(ColumnSchemaBuilder::build).toList());
        }

        /** The columns after the key. */
        abstract Stream<ColumnSchemaBuilder> cells();

        private static Stream<ColumnSchemaBuilder> texts(final String... names) {
            return columns(Type.STRING, names);
        }

        private static Stream<ColumnSchemaBuilder> numbers(final String... names) {
            return columns(Type.INT32, names);
        }

        private static Stream<ColumnSchemaBuilder> times(final String... names) {
            return columns(Type.UNIXTIME_MICROS, names);
        }

        private static Stream<ColumnSchemaBuilder> columns(final Type type, final String... names) {
            return Stream.of(names).map(name -> new ColumnSchemaBuilder(name, type));
        }
    }
}
