package dev.rowhash.nifi.kudu;

import com.stumbleupon.async.Deferred;
import java.security.PrivilegedAction;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kudu.client.AsyncKuduClient;
import org.apache.kudu.client.AsyncKuduSession;
import org.apache.kudu.client.KuduException;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.SessionConfiguration.FlushMode;
import org.apache.nifi.kerberos.KerberosUserService;
import org.apache.nifi.security.krb.KerberosUser;

/** One client for all threads of a processor, made when it is first needed, and the tables that are open. */
final class KuduConnection implements AutoCloseable {

    /** How long a master may take to accept a connection. */
    private static final int MOST_CONNECT_MILLIS = 3000;
    /** The client waits as long as it may itself; a little later it can still say for what. */
    private static final long GRACE_MILLIS = 1000;

    private final String addresses;
    private final Masters masters;
    private final long timeoutMillis;
    private final String saslProtocol;
    private final KerberosUser user;
    private final Availability availability = new Availability();
    private final Map<String, TargetTable> tables = new ConcurrentHashMap<>();

    private AsyncKuduClient client;
    private boolean closed;

    /** @param kerberos null for a Kudu that asks for no authentication */
    KuduConnection(final String addresses, final long timeoutMillis, final String saslProtocol,
                   final KerberosUserService kerberos) {
        this.addresses = addresses;
        this.masters = new Masters(addresses);
        this.timeoutMillis = timeoutMillis;
        this.saslProtocol = saslProtocol;
        this.user = kerberos == null ? null : kerberos.createKerberosUser();
    }

    Availability availability() {
        return availability;
    }

    String addresses() {
        return addresses;
    }

    /** Asks whether anybody is there before the client does, which would try until its time is up. */
    void check() throws KuduUnavailable {
        final List<String> unreachable = masters.unreachable((int) Math.min(MOST_CONNECT_MILLIS, timeoutMillis));
        if (!unreachable.isEmpty()) {
            throw new KuduUnavailable("No Kudu master can be reached: " + String.join("; ", unreachable), null);
        }
    }

    AsyncKuduSession newSession(final int operations) throws KuduUnavailable {
        final AsyncKuduSession session = client().newSession();
        session.setFlushMode(FlushMode.MANUAL_FLUSH);
        session.setTimeoutMillis(timeoutMillis);
        session.setMutationBufferSpace(operations, -1);
        return session;
    }

    private synchronized AsyncKuduClient client() throws KuduUnavailable {
        if (closed) {
            throw new KuduUnavailable("The connection is closed", null);
        }
        if (client == null) {
            check();
            client = user == null ? newClient() : asUser();
        } else if (user != null) {
            login(user::checkTGTAndRelogin);
        }
        return client;
    }

    private AsyncKuduClient asUser() throws KuduUnavailable {
        login(user::login);
        return user.doAs((PrivilegedAction<AsyncKuduClient>) this::newClient);
    }

    /** A login that fails is no fault of any row. */
    private void login(final Runnable login) throws KuduUnavailable {
        try {
            login.run();
        } catch (final RuntimeException e) {
            throw new KuduUnavailable("The Kerberos login of " + user.getPrincipal() + " fails: "
                    + String.valueOf(e.getMessage()).trim() + ". Check the principal, its keytab or password, and that the Kerberos"
                    + " server can be reached", e);
        }
    }

    private AsyncKuduClient newClient() {
        return new AsyncKuduClient.AsyncKuduClientBuilder(addresses)
                .defaultOperationTimeoutMs(timeoutMillis)
                .defaultAdminOperationTimeoutMs(timeoutMillis)
                .connectionNegotiationTimeoutMs(timeoutMillis)
                .saslProtocolName(saslProtocol)
                .build();
    }

    /** The table as it was when it was first opened, or opened again. */
    TargetTable table(final String name) throws KuduUnavailable, TableUnavailable {
        final TargetTable known = tables.get(name);
        return known == null ? reopen(name) : known;
    }

    boolean isOpen(final String name) {
        return tables.containsKey(name);
    }

    /** The table as it is now. */
    TargetTable reopen(final String name) throws KuduUnavailable, TableUnavailable {
        final KuduTable opened;
        try {
            opened = join(client().openTable(name));
        } catch (final KuduException e) {
            tables.remove(name);
            if (Fault.of(e.getStatus()) == Fault.PASSING) {
                throw new KuduUnavailable(unanswered(e), e);
            }
            throw new TableUnavailable(name, e.getStatus().isNotFound()
                    ? "Kudu has no table " + name + ": create it, or correct Table Name"
                    : "The table " + name + " cannot be opened: " + e.getMessage(), e);
        }
        final TargetTable table = new TargetTable(opened);
        tables.put(name, table);
        return table;
    }

    private String unanswered(final KuduException e) {
        final String message = "Kudu does not answer: " + e.getMessage();
        if (user != null) {
            return message + ". If it runs, check Kudu SASL Protocol Name, the first part of the principal that its servers run as";
        }
        return message.contains("Kerberos")
                ? message + ". Set Kerberos User Service: this Kudu takes nobody who has not logged in" : message;
    }

    /** To be opened again when it is needed next. */
    void forget(final String name) {
        tables.remove(name);
    }

    /** Waits no longer than the operation time-out and a moment. */
    <T> T join(final Deferred<T> deferred) throws KuduException, KuduUnavailable {
        try {
            return deferred.join(timeoutMillis + GRACE_MILLIS);
        } catch (final KuduException e) {
            throw e;
        } catch (final com.stumbleupon.async.TimeoutException e) {
            // What is still on its way must not arrive after what is sent next.
            discardClient();
            throw new KuduUnavailable("Kudu has not answered for " + timeoutMillis + " ms", e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KuduUnavailable("Interrupted while waiting for Kudu", e);
        } catch (final RuntimeException e) {
            throw e;
        } catch (final Exception e) {
            // What a Deferred throws is declared as anything.
            throw new KuduUnavailable("Kudu's client fails: " + e, e);
        }
    }

    List<String> tablesLike(final String name) throws KuduUnavailable, KuduException {
        return join(client().getTablesList(name)).getTablesList();
    }

    private synchronized void discardClient() {
        final AsyncKuduClient old = client;
        client = null;
        tables.clear();
        if (old != null) {
            old.shutdown();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        discardClient();
        if (user != null && user.isLoggedIn()) {
            user.logout();
        }
    }
}
