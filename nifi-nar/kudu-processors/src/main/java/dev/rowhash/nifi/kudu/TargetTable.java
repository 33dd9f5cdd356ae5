package dev.rowhash.nifi.kudu;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.kudu.ColumnSchema;
import org.apache.kudu.client.KuduTable;

/** An open table, as it was when it was opened. */
final class TargetTable {

    private final KuduTable table;
    private final List<ColumnSchema> columns;
    private final Map<String, Integer> indexes = new HashMap<>();

    TargetTable(final KuduTable table) {
        this.table = table;
        this.columns = table.getSchema().getColumns();
        for (int index = 0; index < columns.size(); index++) {
            indexes.put(columns.get(index).getName(), index);
        }
    }

    KuduTable table() {
        return table;
    }

    String name() {
        return table.getName();
    }

    List<ColumnSchema> columns() {
        return columns;
    }

    /** The column's index, null where there is none. */
    Integer index(final String column) {
        return indexes.get(column);
    }

    /** The columns of the primary key that a row must bring. */
    List<String> keyColumns() {
        return columns.stream().filter(column -> column.isKey() && !column.isAutoIncrementing())
                .map(ColumnSchema::getName).collect(Collectors.toList());
    }

    /** The other columns that a new row must bring. */
    List<String> requiredColumns() {
        return columns.stream()
                .filter(column -> !column.isKey() && !column.isNullable() && column.getDefaultValue() == null)
                .map(ColumnSchema::getName).collect(Collectors.toList());
    }

    boolean isSameAs(final TargetTable other) {
        return table.getTableId().equals(other.table.getTableId()) && columns.size() == other.columns.size()
                && columns.stream().allMatch(column -> {
                    final Integer index = other.index(column.getName());
                    return index != null && isSame(column, other.columns.get(index));
                });
    }

    private static boolean isSame(final ColumnSchema one, final ColumnSchema other) {
        return one.equals(other) && one.isNullable() == other.isNullable()
                && Objects.equals(one.getTypeAttributes(), other.getTypeAttributes())
                && Objects.equals(one.getDefaultValue(), other.getDefaultValue());
    }
}
