package dev.rowhash.runtime;

import java.nio.file.Path;
import java.util.List;

/** The system's MariaDB on the loopback address, with nothing in it. */
public final class MariadbServer implements AutoCloseable {
    /** Who may do everything, without a password. */
    public static final String USER = "root";

    private static final String OWNER = "mysql";
    private static final String PACKAGE = "mariadb-server";

    private final DatabaseProcess process;
    private final int port;

    private MariadbServer(final DatabaseProcess process, final int port) {
        this.process = process;
        this.port = port;
    }

    public static MariadbServer start() {
        final Path install = DatabaseProcess.program("mariadb-install-db", PACKAGE);
        final Path server = DatabaseProcess.program("mariadbd", PACKAGE, Path.of("/usr/sbin"), Path.of("/usr/libexec"));
        final DatabaseProcess process = new DatabaseProcess("mariadb", OWNER);
        final int port = Ports.free();
        try {
            final String data = "--datadir=" + process.data();
            process.runAsUser(install.toString(), "--no-defaults", data, "--auth-root-authentication-method=normal",
                    "--skip-test-db");
            process.start(List.of(server.toString(), "--no-defaults", data, "--bind-address=" + Ports.HOST, "--port=" + port,
                    "--socket=" + process.data().resolve("socket"), "--pid-file=" + process.data().resolve("pid"),
                    "--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0"), () -> Ports.isListening(port));
            return new MariadbServer(process, port);
        } catch (final RuntimeFailure e) {
            process.close();
            throw e;
        }
    }

    /** For JDBC; a new server has the database mysql. */
    public String jdbcUrl(final String database) {
        return "jdbc:mariadb://" + Ports.HOST + ":" + port + "/" + database;
    }

    @Override
    public void close() {
        process.close();
    }
}
