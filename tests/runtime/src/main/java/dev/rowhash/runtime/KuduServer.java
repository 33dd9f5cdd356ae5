package dev.rowhash.runtime;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kudu.client.KuduClient;
import org.apache.kudu.client.KuduException;

/** A Kudu of one master and one tablet server on the loopback address. */
public final class KuduServer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(120);

    private final Path folder;
    private final Path home;
    /** Null where anybody may use Kudu. */
    private final KerberosServer kerberos;
    private final int masterPort;
    private final int tserverPort;
    /** The tablet server first, so that it ends first. */
    private final List<ServerProcess> processes = new ArrayList<>();
    private final KuduClient client;

    private KuduServer(final Path home, final KerberosServer kerberos) {
        this.home = home;
        this.kerberos = kerberos;
        this.folder = Folders.create("kudu");
        this.masterPort = Ports.free();
        this.tserverPort = Ports.free();
        this.client = kerberos == null ? newClient() : kerberos.asUser(this::newClient);
    }

    private KuduClient newClient() {
        return new KuduClient.KuduClientBuilder(masters()).build();
    }

    public static KuduServer start() {
        return start(null);
    }

    /** One that takes nobody without a ticket of this Kerberos server. */
    public static KuduServer start(final KerberosServer kerberos) {
        final KuduServer server = new KuduServer(Assembly.home("kudu"), kerberos);
        try {
            server.startProcesses();
            return server;
        } catch (final RuntimeFailure e) {
            server.closeProcesses();
            throw e;
        }
    }

    /** Ends both processes with SIGKILL. */
    public void kill() {
        processes.forEach(ServerProcess::kill);
    }

    /** Ends the tablet server alone in the same way: the master answers as before. */
    public void killTabletServer() {
        processes.get(0).kill();
    }

    /** Ends the master alone in the same way. */
    public void killMaster() {
        processes.get(1).kill();
    }

    /** Starts a killed Kudu again, with its tables, where it was. */
    public void restart() {
        processes.clear();
        startProcesses();
    }

    /** For the property Kudu Masters. */
    public String masters() {
        return Ports.HOST + ":" + masterPort;
    }

    public KuduClient client() {
        return client;
    }

    private void startProcesses() {
        final ServerProcess master = startProcess("kudu-master", masterPort, List.of("--default_num_replicas=1"));
        master.awaitReady(DEADLINE, () -> Ports.isListening(masterPort));
        final ServerProcess tserver = startProcess("kudu-tserver", tserverPort,
                List.of("--tserver_master_addrs=" + masters(), "--heartbeat_interval_ms=200"));
        tserver.awaitReady(DEADLINE, () -> {
            master.mustBeAlive();
            return hasTabletServer();
        });
    }

    private ServerProcess startProcess(final String name, final int port, final List<String> arguments) {
        final Path own = folder.resolve(name);
        final List<String> command = new ArrayList<>(List.of(
                home.resolve("bin").resolve(name).toString(),
                "--rpc_bind_addresses=" + Ports.HOST + ":" + port,
                "--webserver_interface=" + Ports.HOST,
                "--webserver_port=0",
                "--webserver_doc_root=" + home.resolve("www"),
                "--fs_wal_dir=" + own.resolve("wal"),
                "--fs_data_dirs=" + own.resolve("data"),
                "--logtostderr",
                // Diagnostics are files all the same; without a folder of their own they litter /tmp.
                "--log_dir=" + own,
                "--trusted_subnets=127.0.0.0/8",
                // On a busy machine a new client may need longer than the 3 seconds that it has by default, and a
                // PutKudu whose first connection was cut has been seen to fail from then on.
                "--rpc_negotiation_timeout_ms=30000",
                // Any other time source needs a running NTP daemon.
                "--unlock_unsafe_flags", "--time_source=system_unsync",
                // Test data needs no fsync, no preallocated files and no crash dumps.
                "--never_fsync", "--log_preallocate_segments=false", "--enable_minidumps=false"));
        command.addAll(arguments);
        // The bundled libraries find each other and their SASL plugins only when they are told where these are.
        final Map<String, String> environment = new HashMap<>(Map.of(
                "LD_LIBRARY_PATH", home.resolve("lib").toString(),
                "SASL_PATH", home.resolve("lib/sasl2").toString()));
        if (kerberos != null) {
            command.addAll(kerberos.kuduFlags());
            environment.put("KRB5_CONFIG", kerberos.configuration().toString());
        }
        final ServerProcess process = ServerProcess.start(name, own, ServerProcess.CONSOLE, environment, command);
        processes.add(0, process);
        return process;
    }

    private boolean hasTabletServer() {
        try {
            return client.listTabletServers().getTabletServersCount() == 1;
        } catch (final KuduException e) {
            return false;
        }
    }

    private void closeProcesses() {
        processes.forEach(ServerProcess::close);
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (final KuduException e) {
            throw new RuntimeFailure("The Kudu client did not close", e);
        } finally {
            closeProcesses();
        }
    }
}
