package dev.rowhash.nifi.kudu;

import static dev.rowhash.nifi.kudu.Rows.row;
import static dev.rowhash.nifi.kudu.Table.cell;
import static dev.rowhash.nifi.kudu.Table.key;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowhash.runtime.KerberosServer;
import dev.rowhash.runtime.KuduServer;
import java.nio.file.Path;
import java.util.Map;
import org.apache.kudu.Type;
import org.apache.nifi.components.ConfigVerificationResult;
import org.apache.nifi.components.ConfigVerificationResult.Outcome;
import org.apache.nifi.controller.AbstractControllerService;
import org.apache.nifi.kerberos.KerberosUserService;
import org.apache.nifi.reporting.InitializationException;
import org.apache.nifi.security.krb.KerberosKeytabUser;
import org.apache.nifi.security.krb.KerberosUser;
import org.apache.nifi.util.TestRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A real Kudu that takes nobody without a ticket, and a real Kerberos server. */
class KerberosTest {

    private static final String SERVICE = "kudu";

    private static KerberosServer kerberos;
    private static KuduServer kudu;
    private static Table table;

    @BeforeAll
    static void start() {
        kerberos = KerberosServer.start();
        kudu = KuduServer.start(kerberos);
        table = Table.create(kudu, key("id", Type.STRING), cell("text", Type.STRING));
    }

    @AfterAll
    static void stop() {
        if (kudu != null) {
            kudu.close();
        }
        if (kerberos != null) {
            kerberos.close();
        }
    }

    private static Sink sink(final Path keytab) throws InitializationException {
        final Sink sink = new Sink(kudu, table.name()).set("Kudu Operation Timeout", "10 sec");
        final TestRunner runner = sink.runner();
        final Keytab service = new Keytab(KerberosServer.USER, keytab);
        runner.addControllerService("kerberos", service);
        runner.enableControllerService(service);
        return sink.set("Kerberos User Service", "kerberos");
    }

    @Test
    void whoHasTheKeysLoadsRowsAndCanVerify() throws InitializationException {
        final Sink sink = sink(kerberos.keytab(KerberosServer.USER)).enqueue(row("id", "a", "text", "가나다")).trigger();

        assertThat(sink.runner().getLogger().getErrorMessages()).isEmpty();
        assertThat(table.column("text", "id")).containsEntry("a", "가나다");
        assertThat(((UpsertKudu) sink.runner().getProcessor()).verify(sink.runner().getProcessContext(), sink.runner().getLogger(),
                Map.of())).extracting(ConfigVerificationResult::getOutcome)
                .containsOnly(Outcome.SUCCESSFUL);
        sink.stop();
    }

    @Test
    void withTheKeysOfAnotherNothingIsLostAndTheLoginIsNamed() throws InitializationException {
        final Sink sink = sink(kerberos.keytab(SERVICE)).enqueue(row("id", "b")).trigger();

        assertThat(sink.queued()).isEqualTo(1);
        assertThat(sink.hasYielded()).isTrue();
        assertThat(sink.runner().getLogger().getErrorMessages()).singleElement().satisfies(message ->
                assertThat(message.getMsg()).contains("The Kerberos login of nifi fails", "Check the principal, its keytab"));
        assertThat(table.column("text", "id")).doesNotContainKey("b");
        sink.stop();
    }

    @Test
    void whereTheServersRunAsAnotherThanTheUserSaysNothingIsLost() throws InitializationException {
        final Sink sink = sink(kerberos.keytab(KerberosServer.USER)).set("Kudu SASL Protocol Name", "other")
                .enqueue(row("id", "d")).trigger();

        assertThat(sink.queued()).isEqualTo(1);
        assertThat(sink.runner().getLogger().getErrorMessages()).singleElement().satisfies(message ->
                assertThat(message.getMsg()).contains("stay queued", "check Kudu SASL Protocol Name"));
        sink.stop();
    }

    @Test
    void withoutALoginNothingIsLostAndTheCureIsNamed() {
        final Sink sink = new Sink(kudu, table.name()).set("Kudu Operation Timeout", "10 sec").enqueue(row("id", "c")).trigger();

        assertThat(sink.queued()).isEqualTo(1);
        assertThat(sink.hasYielded()).isTrue();
        assertThat(sink.runner().getLogger().getErrorMessages()).singleElement().satisfies(message ->
                assertThat(message.getMsg()).contains("stay queued", "client does not have Kerberos credentials",
                        "Kerberos User Service"));
        assertThat(table.column("text", "id")).doesNotContainKey("c");
        sink.stop();
    }

    /** The service of a NiFi, which gives the user that logs in. */
    static final class Keytab extends AbstractControllerService implements KerberosUserService {

        private final String principal;
        private final Path keytab;

        Keytab(final String principal, final Path keytab) {
            this.principal = principal;
            this.keytab = keytab;
        }

        @Override
        public KerberosUser createKerberosUser() {
            return new KerberosKeytabUser(principal, keytab.toString());
        }
    }
}
