package dev.rowhash.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** NiFi's REST API: requests and answers in JSON, and the few questions that belong to no one flow. */
public final class NifiClient {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(60);

    private final String address;
    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    NifiClient(final String address) {
        this.address = address;
    }

    /** {@code http://host:port}. */
    public String address() {
        return address;
    }

    /** Whether the API answers. */
    boolean isUp() {
        final HttpRequest request = request("/flow/about").GET().build();
        try {
            return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
        } catch (final IOException e) {
            // Nothing listens yet, or the web server is not ready to answer.
            return false;
        } catch (final InterruptedException e) {
            throw interrupted(e);
        }
    }

    public JsonNode get(final String path) {
        return json(send(request(path).GET()));
    }

    public byte[] getBytes(final String path) {
        return send(request(path).GET());
    }

    public JsonNode post(final String path, final Object body) {
        return json(send(request(path).header("Content-Type", "application/json").POST(body(body))));
    }

    public JsonNode postBytes(final String path, final Map<String, String> headers, final byte[] body) {
        final HttpRequest.Builder request = request(path).header("Content-Type", "application/octet-stream");
        headers.forEach(request::header);
        return json(send(request.POST(BodyPublishers.ofByteArray(body))));
    }

    /** As the page's upload form does: text fields and one file. */
    JsonNode upload(final String path, final Map<String, String> fields, final byte[] file) {
        final String boundary = "rowhash-" + UUID.randomUUID();
        final ByteArrayOutputStream body = new ByteArrayOutputStream();
        fields.forEach((name, value) -> body.writeBytes(("--" + boundary + "\r\nContent-Disposition: form-data; name=\""
                + name + "\"\r\n\r\n" + value + "\r\n").getBytes(StandardCharsets.UTF_8)));
        body.writeBytes(("--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"flow.json\"\r\n"
                + "Content-Type: application/json\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        body.writeBytes(file);
        body.writeBytes(("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.UTF_8));
        return json(send(request(path).header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .POST(BodyPublishers.ofByteArray(body.toByteArray()))));
    }

    public JsonNode put(final String path, final Object body) {
        return json(send(request(path).header("Content-Type", "application/json").PUT(body(body))));
    }

    public JsonNode delete(final String path) {
        return json(send(request(path).DELETE()));
    }

    /** The NiFi that answers, as it names itself. */
    public String version() {
        return get("/flow/about").path("about").path("version").asText();
    }

    /** Type and bundle of a processor. */
    JsonNode processorType(final Component component) {
        return theOne(component, get("/flow/processor-types").path("processorTypes"));
    }

    /** Type and bundle of a controller service. */
    JsonNode serviceType(final Component component) {
        return theOne(component, get("/flow/controller-service-types").path("controllerServiceTypes"));
    }

    private JsonNode theOne(final Component component, final JsonNode types) {
        final List<JsonNode> found = named(component.type(), types)
                .filter(type -> component.version() == null || component.version().equals(bundleVersion(type))).toList();
        if (found.size() != 1) {
            throw new RuntimeFailure("NiFi at " + address + " knows " + found.size() + " types named " + component.type()
                    + (component.version() == null ? "" : " of version " + component.version()) + ": " + found);
        }
        return found.get(0);
    }

    /** The versions in which a processor is loaded. */
    public List<String> processorVersions(final String simpleName) {
        return named(simpleName, get("/flow/processor-types").path("processorTypes"))
                .map(NifiClient::bundleVersion).toList();
    }

    private static Stream<JsonNode> named(final String simpleName, final JsonNode types) {
        return elements(types).filter(type -> type.path("type").asText().endsWith("." + simpleName));
    }

    private static String bundleVersion(final JsonNode type) {
        return type.path("bundle").path("version").asText();
    }

    static Stream<JsonNode> elements(final JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private HttpRequest.Builder request(final String path) {
        return HttpRequest.newBuilder(URI.create(address + "/nifi-api" + path)).timeout(REQUEST_TIMEOUT);
    }

    private static BodyPublisher body(final Object value) {
        try {
            return BodyPublishers.ofByteArray(JSON.writeValueAsBytes(value));
        } catch (final JsonProcessingException e) {
            throw new RuntimeFailure("Not JSON: " + value, e);
        }
    }

    private byte[] send(final HttpRequest.Builder builder) {
        final HttpRequest request = builder.build();
        try {
            final HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
            if (response.statusCode() / 100 != 2) {
                throw new RuntimeFailure(request.method() + " " + request.uri() + " was answered with "
                        + response.statusCode() + ": " + new String(response.body(), StandardCharsets.UTF_8));
            }
            return response.body();
        } catch (final IOException e) {
            throw new RuntimeFailure(request.method() + " " + request.uri() + " failed", e);
        } catch (final InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static JsonNode json(final byte[] body) {
        try {
            return body.length == 0 ? MissingNode.getInstance() : JSON.readTree(body);
        } catch (final IOException e) {
            throw new RuntimeFailure("NiFi's answer is not JSON", e);
        }
    }

    private static RuntimeFailure interrupted(final InterruptedException e) {
        Thread.currentThread().interrupt();
        return new RuntimeFailure("Interrupted while NiFi worked on a request", e);
    }
}
