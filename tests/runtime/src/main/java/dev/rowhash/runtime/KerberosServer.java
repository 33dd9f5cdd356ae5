package dev.rowhash.runtime;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.PrivilegedAction;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A Kerberos server on the loopback address. This JVM's own Kerberos asks it from then on. */
public final class KerberosServer implements AutoCloseable {
    /** One who may use Kudu. */
    public static final String USER = "nifi";

    static final String REALM = "ROWHASH.TEST";
    /** The first part of the principal that Kudu's servers run as. */
    static final String SERVICE = "kudu";

    private static final String CONFIGURATION = "java.security.krb5.conf";

    private final SimpleKdcServer kdc;
    private final Path folder;

    private KerberosServer(final SimpleKdcServer kdc, final Path folder) {
        this.kdc = kdc;
        this.folder = folder;
    }

    public static KerberosServer start() {
        final int port = Ports.free();
        final Path folder = Folders.create("kerberos");
        try {
            final SimpleKdcServer kdc = new SimpleKdcServer();
            kdc.setWorkDir(folder.toFile());
            kdc.setKdcRealm(REALM);
            kdc.setKdcHost(Ports.HOST);
            kdc.setKdcTcpPort(port);
            kdc.setAllowUdp(false);
            kdc.init();
            kdc.start();
            final KerberosServer server = new KerberosServer(kdc, folder);
            Files.writeString(server.configuration(), configuration(port));
            System.setProperty(CONFIGURATION, server.configuration().toString());
            server.export(USER, USER);
            // Servers and clients name a machine by what they find for its address.
            server.export(SERVICE, Stream.of(Ports.HOST, "localhost", InetAddress.getLocalHost().getHostName(),
                            InetAddress.getLocalHost().getCanonicalHostName(), InetAddress.getByName(Ports.HOST).getCanonicalHostName())
                    .distinct().map(host -> SERVICE + "/" + host).toArray(String[]::new));
            return server;
        } catch (final KrbException | IOException e) {
            throw new RuntimeFailure("The Kerberos server does not start", e);
        }
    }

    private static String configuration(final int port) {
        return """
                [libdefaults]
                    default_realm = %1$s
                    udp_preference_limit = 1
                    rdns = false
                    dns_canonicalize_hostname = false
                    ignore_acceptor_hostname = true
                [realms]
                    %1$s = {
                        kdc = %2$s:%3$d
                    }
                """.formatted(REALM, Ports.HOST, port);
    }

    private void export(final String name, final String... principals) throws KrbException, IOException {
        for (final String principal : principals) {
            kdc.createPrincipal(principal);
            kdc.exportPrincipal(principal, keytab(name).toFile());
        }
        // Kudu takes none that others may read.
        Files.setPosixFilePermissions(keytab(name), PosixFilePermissions.fromString("rw-------"));
    }

    /** For programs that read KRB5_CONFIG. */
    Path configuration() {
        return folder.resolve("own-krb5.conf");
    }

    /** The keys of {@link #USER} or {@link #SERVICE}. */
    public Path keytab(final String name) {
        return folder.resolve(name + ".keytab");
    }

    /** Does something as {@link #USER}. */
    <T> T asUser(final PrivilegedAction<T> action) {
        final Map<String, String> options = Map.of("useKeyTab", "true", "keyTab", keytab(USER).toString(), "principal", USER + "@" + REALM,
                "storeKey", "true", "doNotPrompt", "true", "refreshKrb5Config", "true");
        final AppConfigurationEntry[] entries = {new AppConfigurationEntry("com.sun.security.auth.module.Krb5LoginModule",
                LoginModuleControlFlag.REQUIRED, options)};
        try {
            final LoginContext login = new LoginContext("", new Subject(), null, new Configuration() {
                @Override
                public AppConfigurationEntry[] getAppConfigurationEntry(final String name) {
                    return entries;
                }
            });
            login.login();
            return Subject.doAs(login.getSubject(), action);
        } catch (final LoginException e) {
            throw new RuntimeFailure("Nobody can log in to the Kerberos server", e);
        }
    }

    /** Flags of a Kudu server that asks for Kerberos. */
    List<String> kuduFlags() {
        return List.of("--keytab_file=" + keytab(SERVICE), "--principal=" + SERVICE + "/localhost", "--rpc_authentication=required",
                "--rpc_encryption=required");
    }

    @Override
    public void close() {
        try {
            kdc.stop();
            Folders.deleteAllBut(folder, "");
        } catch (final KrbException | IOException e) {
            throw new RuntimeFailure("The Kerberos server does not stop", e);
        } finally {
            System.clearProperty(CONFIGURATION);
        }
    }
}
