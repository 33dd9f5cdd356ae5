package dev.rowhash.nifi;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
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
            final String name = "batch" + NUMBER.incrementAndGet();
            final DataSource server = new DriverManagerDataSource(PostgresServer.get().url("postgres"), "postgres", "");
            try (Connection connection = server.getConnection(); Statement statement = connection.createStatement()) {
                statement.execute("CREATE DATABASE " + name);
            }
            return new DriverManagerDataSource(PostgresServer.get().url(name), "postgres", "");
        }
    };

    private static final AtomicInteger NUMBER = new AtomicInteger();

    abstract DataSource open(Path folder) throws SQLException;

    String script() {
        return "org/springframework/batch/core/schema-" + name().toLowerCase() + ".sql";
    }

    /** The script as spring-batch-core ships it. */
    void createTables(final DataSource database) {
        new ResourceDatabasePopulator(new ClassPathResource(script())).execute(database);
    }
}
