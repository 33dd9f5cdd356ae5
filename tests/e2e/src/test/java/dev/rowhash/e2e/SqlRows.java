package dev.rowhash.e2e;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answer to a statement: its rows in their order, by column; times are LocalDateTime, as SQL shows them. */
final class SqlRows {
    private SqlRows() {
    }

    static List<Map<String, Object>> of(final Connection connection, final String sql) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            final List<Map<String, Object>> rows = new ArrayList<>();
            while (result.next()) {
                rows.add(row(result));
            }
            return rows;
        }
    }

    private static Map<String, Object> row(final ResultSet result) throws SQLException {
        final ResultSetMetaData columns = result.getMetaData();
        final Map<String, Object> row = new LinkedHashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            final Object cell = result.getObject(i);
            row.put(columns.getColumnLabel(i), cell instanceof Timestamp ? ((Timestamp) cell).toLocalDateTime() : cell);
        }
        return row;
    }
}
