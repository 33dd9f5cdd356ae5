package dev.rowhash.nifi.kudu;

import dev.rowhash.runtime.KuduServer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.ColumnSchema.ColumnSchemaBuilder;
import org.apache.kudu.Schema;
import org.apache.kudu.Type;
import org.apache.kudu.client.AlterTableOptions;
import org.apache.kudu.client.AsyncKuduScanner.ReadMode;
import org.apache.kudu.client.CreateTableOptions;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduScanner;
import org.apache.kudu.client.RowResult;
import org.apache.kudu.util.CharUtil;
import org.apache.kudu.util.DecimalUtil;

/** A table of a real Kudu. */
final class Table {

    private static final AtomicInteger TABLES = new AtomicInteger();
    private static final int PARTITIONS = 2;

    private final KuduServer kudu;
    private final String name;

    private Table(final KuduServer kudu, final String name) {
        this.kudu = kudu;
        this.name = name;
    }

    String name() {
        return name;
    }

    /** An empty table that no other test has; the first column is the key. */
    static Table create(final KuduServer kudu, final ColumnSchemaBuilder... columns) {
        final Table table = new Table(kudu, "db.table_" + TABLES.incrementAndGet());
        table.create(columns);
        return table;
    }

    static Table named(final KuduServer kudu, final String name) {
        return new Table(kudu, name);
    }

    void create(final ColumnSchemaBuilder... columns) {
        final List<ColumnSchema> schema = Arrays.stream(columns).map(ColumnSchemaBuilder::build).toList();
        final List<String> key = schema.stream().filter(ColumnSchema::isKey).map(ColumnSchema::getName).toList();
        try {
            kudu.client().createTable(name, new Schema(schema),
                    new CreateTableOptions().addHashPartitions(key, PARTITIONS).setNumReplicas(1));
        } catch (final KuduException e) {
            throw new IllegalStateException(e);
        }
    }

    void drop() {
        try {
            kudu.client().deleteTable(name);
        } catch (final KuduException e) {
            throw new IllegalStateException(e);
        }
    }

    void alter(final AlterTableOptions change) {
        try {
            kudu.client().alterTable(name, change);
        } catch (final KuduException e) {
            throw new IllegalStateException(e);
        }
    }

    static ColumnSchemaBuilder key(final String column, final Type type) {
        return new ColumnSchemaBuilder(column, type).key(true);
    }

    static ColumnSchemaBuilder cell(final String column, final Type type) {
        return new ColumnSchemaBuilder(column, type).nullable(true);
    }

    static ColumnSchemaBuilder decimal(final String column, final int precision, final int scale) {
        return cell(column, Type.DECIMAL).typeAttributes(DecimalUtil.typeAttributes(precision, scale));
    }

    static ColumnSchemaBuilder varchar(final String column, final int length) {
        return cell(column, Type.VARCHAR).typeAttributes(CharUtil.typeAttributes(length));
    }

    /** Each row by its columns; times as microseconds. */
    List<Map<String, Object>> rows() {
        final List<Map<String, Object>> rows = new ArrayList<>();
        try {
            final KuduScanner scanner = kudu.client().newScannerBuilder(kudu.client().openTable(name))
                    .readMode(ReadMode.READ_LATEST).build();
            while (scanner.hasMoreRows()) {
                for (final RowResult row : scanner.nextRows()) {
                    rows.add(cells(row));
                }
            }
        } catch (final KuduException e) {
            throw new IllegalStateException(e);
        }
        return rows;
    }

    /** The values of a column by the values of another one. */
    Map<Object, Object> column(final String column, final String by) {
        final Map<Object, Object> values = new TreeMap<>();
        rows().forEach(row -> values.put(row.get(by), row.get(column)));
        return values;
    }

    private static Map<String, Object> cells(final RowResult row) {
        final Map<String, Object> cells = new LinkedHashMap<>();
        for (final ColumnSchema column : row.getSchema().getColumns()) {
            final String name = column.getName();
            cells.put(name, row.isNull(name) ? null : column.getType() == Type.UNIXTIME_MICROS ? row.getLong(name)
                    : column.getType() == Type.BINARY ? List.of(boxed(row.getBinaryCopy(name)))
                    : column.getType() == Type.DATE ? row.getDate(name).toLocalDate() : row.getObject(name));
        }
        return cells;
    }

    private static Byte[] boxed(final byte[] bytes) {
        final Byte[] boxed = new Byte[bytes.length];
        Arrays.setAll(boxed, i -> bytes[i]);
        return boxed;
    }

    static long micros(final String instant) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(instant));
    }
}
