package dev.rowhash.nifi;

import dev.rowhash.runtime.MariadbServer;
import dev.rowhash.runtime.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The databases that are run: each call of {@link #open} gives an empty one. */
enum Database {

    H2 {
        @Override
        DataSource open(final Path folder) {
            return new DriverManagerDataSource("jdbc:h2:mem:" + name() + NUMBER.incrementAndGet() + ";DB_CLOSE_DELAY=-1");
        }
    },
    HSQLDB {
        @Override
        DataSource open(final Path folder) {
            return new DriverManagerDataSource("jdbc:hsqldb:mem:" + name() + NUMBER.incrementAndGet(), "sa", "");
        }
    },
    DERBY {
        @Override
        DataSource open(final Path folder) {
            return new DriverManagerDataSource("jdbc:derby:memory:" + name() + NUMBER.incrementAndGet() + ";create=true");
        }
    },
    SQLITE {
        @Override
        DataSource open(final Path folder) {
            return new DriverManagerDataSource("jdbc:sqlite:" + folder.resolve(name() + NUMBER.incrementAndGet()));
        }
    },
    POSTGRESQL {
        @Override
        DataSource open(final Path folder) throws SQLException {
            return newDatabase(Servers.POSTGRES::jdbcUrl, "postgres", PostgresServer.USER);
        }
    },
    MARIADB {
        @Override
        DataSource open(final Path folder) throws SQLException {
            return newDatabase(Servers.MARIADB::jdbcUrl, "mysql", MariadbServer.USER);
        }
    },
    /** MariaDB with the script of MySQL, whose sequences are tables; to its driver it is a MySQL. */
    MYSQL {
        @Override
        DataSource open(final Path folder) throws SQLException {
            return newDatabase(name -> Servers.MARIADB.jdbcUrl(name) + "?useMysqlMetadata=true", "mysql", MariadbServer.USER);
        }
    };

    /** Started when a test first needs one, and ended with the JVM. */
    private static final class Servers {
        private static final PostgresServer POSTGRES = PostgresServer.start();
        private static final MariadbServer MARIADB = MariadbServer.start();
    }

    private static final AtomicInteger NUMBER = new AtomicInteger();

    abstract DataSource open(Path folder) throws SQLException;

    private static DataSource newDatabase(final UnaryOperator<String> url, final String existing, final String user)
            throws SQLException {
        final String name = "batch" + NUMBER.incrementAndGet();
        try (Connection connection = new DriverManagerDataSource(url.apply(existing), user, "").getConnection();
             Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
        }
        return new DriverManagerDataSource(url.apply(name), user, "");
    }

    String script() {
        return "org/springframework/batch/core/schema-" + name().toLowerCase() + ".sql";
    }

    /** The script as spring-batch-core ships it. */
    void createTables(final DataSource database) {
        new ResourceDatabasePopulator(new ClassPathResource(script())).execute(database);
    }
}
