package dev.rowhash.nifi;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/** How a database gives the next id: from a sequence or, where the script makes tables in their place, from these. */
enum SpringBatchDialect {

    H2("h2", "SELECT NEXT VALUE FOR %s", Way.QUERY),
    POSTGRESQL("postgresql", "SELECT nextval('%s')", Way.QUERY),
    MARIADB("mariadb", "SELECT NEXT VALUE FOR %s", Way.QUERY),
    ORACLE("oracle", "SELECT %s.NEXTVAL FROM DUAL", Way.QUERY),
    SQLSERVER("sqlserver", "SELECT NEXT VALUE FOR %s", Way.QUERY),
    DB2("db2", "SELECT NEXT VALUE FOR %s FROM SYSIBM.SYSDUMMY1", Way.QUERY),
    HANA("hana", "SELECT %s.NEXTVAL FROM DUMMY", Way.QUERY),
    MYSQL("mysql", "UPDATE %s SET ID = LAST_INSERT_ID(ID + 1) LIMIT 1", Way.LAST_INSERT_ID),
    HSQLDB("hsqldb", "INSERT INTO %s VALUES (NULL)", Way.IDENTITY),
    DERBY("derby", "INSERT INTO %s (DUMMY) VALUES (NULL)", Way.IDENTITY),
    SQLITE("sqlite", "INSERT INTO %s VALUES (NULL)", Way.IDENTITY),
    SYBASE("sybase", "INSERT INTO %s VALUES ()", Way.IDENTITY);

    private enum Way { QUERY, LAST_INSERT_ID, IDENTITY }

    private final String name;
    private final String statement;
    private final Way way;

    SpringBatchDialect(final String name, final String statement, final Way way) {
        this.name = name;
        this.statement = statement;
        this.way = way;
    }

    /**
     * As Spring Batch does, by the name that the driver gives the database.
     *
     * @throws IllegalArgumentException if Spring Batch has no script for the database
     */
    static SpringBatchDialect of(final DatabaseMetaData database) throws SQLException {
        final String product = database.getDatabaseProductName();
        final String name = product.toLowerCase(Locale.ROOT);
        final String[][] products = {{"h2", "H2"}, {"postgresql", "POSTGRESQL"}, {"mysql", "MYSQL"},
                {"mariadb", "MARIADB"}, {"oracle", "ORACLE"}, {"microsoft sql server", "SQLSERVER"}, {"db2", "DB2"},
                {"hdb", "HANA"}, {"hsql database engine", "HSQLDB"}, {"apache derby", "DERBY"}, {"sqlite", "SQLITE"},
                {"adaptive server", "SYBASE"}, {"ase", "SYBASE"}, {"sybase", "SYBASE"}, {"sql server", "SYBASE"}};
        for (final String[] known : products) {
            if (name.startsWith(known[0])) {
                return valueOf(known[1]);
            }
        }
        throw new IllegalArgumentException("Spring Batch has no schema for the database " + product);
    }

    /** The script in spring-batch-core that makes the tables. */
    String script() {
        return "org/springframework/batch/core/schema-" + name + ".sql";
    }

    /** A timestamp to compare with: DATETIME holds it less exactly than it comes. */
    String timestamp() {
        return this == SQLSERVER || this == SYBASE ? "CAST(? AS DATETIME)" : "?";
    }

    /** The next id of a sequence. */
    long next(final Connection connection, final String sequence) throws SQLException {
        switch (this == MARIADB && isTable(connection, sequence) ? Way.LAST_INSERT_ID : way) {
            case QUERY:
                return query(connection, String.format(statement, sequence), sequence);
            case LAST_INSERT_ID:
                try (Statement update = connection.createStatement()) {
                    if (update.executeUpdate(String.format(MYSQL.statement, sequence)) == 0) {
                        throw new SQLException(sequence + " has no row: run the rest of " + MYSQL.script());
                    }
                }
                return query(connection, "SELECT LAST_INSERT_ID()", sequence);
            default:
                try (PreparedStatement insert = connection.prepareStatement(String.format(statement, sequence),
                        Statement.RETURN_GENERATED_KEYS)) {
                    insert.executeUpdate();
                    try (ResultSet keys = insert.getGeneratedKeys()) {
                        return only(keys, sequence);
                    }
                }
        }
    }

    private static long query(final Connection connection, final String sql, final String sequence) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            return only(result, sequence);
        }
    }

    private static long only(final ResultSet result, final String sequence) throws SQLException {
        if (!result.next()) {
            throw new SQLException(sequence + " gives no id");
        }
        return result.getLong(1);
    }

    /** Spring Batch can be told that a MariaDB is a MySQL: then that script made tables, which have this column. */
    private static boolean isTable(final Connection connection, final String sequence) throws SQLException {
        final String table = sequence.substring(sequence.lastIndexOf('.') + 1);
        try (ResultSet columns = connection.getMetaData().getColumns(connection.getCatalog(), null, table, "UNIQUE_KEY")) {
            return columns.next();
        }
    }
}
