package dev.rowhash.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A headless Chromium with one page, driven over its DevTools protocol. */
final class Browser implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofSeconds(60);
    private static final String PORT_FILE = "DevToolsActivePort";
    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome");

    private final ServerProcess process;
    private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
    private final WebSocket socket;
    private int lastId;

    private Browser(final ServerProcess process, final URI page) {
        this.process = process;
        this.socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(page, new Answers(answers)).join();
    }

    /** A page of this many pixels. */
    static Browser start(final int width, final int height) {
        final Path folder = Folders.create("chromium");
        final Path profile = folder.resolve("profile");
        final ServerProcess process = ServerProcess.start("Chromium", folder, ServerProcess.CONSOLE, Map.of(), List.of(
                executable().toString(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-background-networking",
                "--disable-component-update", "--no-proxy-server", "--lang=en-US", "--user-data-dir=" + profile,
                "--remote-debugging-address=" + Ports.HOST, "--remote-debugging-port=0",
                "--window-size=" + width + "," + height, "about:blank"));
        try {
            process.awaitReady(DEADLINE, () -> Files.exists(profile.resolve(PORT_FILE)));
            final String port = Files.readAllLines(profile.resolve(PORT_FILE)).get(0);
            return new Browser(process, page(URI.create("http://" + Ports.HOST + ":" + port + "/json")));
        } catch (final IOException e) {
            process.close();
            throw new RuntimeFailure("Cannot read Chromium's port", e);
        } catch (final RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /** The address of the only page, once it is there. */
    private static URI page(final URI targets) {
        final List<String> found = new ArrayList<>();
        Await.until("Chromium to have a page", DEADLINE, () -> {
            try (InputStream list = targets.toURL().openStream()) {
                NifiClient.elements(NifiClient.JSON.readTree(list))
                        .filter(target -> target.path("type").asText().equals("page"))
                        .forEach(target -> found.add(target.path("webSocketDebuggerUrl").asText()));
                return !found.isEmpty();
            } catch (final IOException e) {
                return false; // it does not listen yet
            }
        });
        return URI.create(found.get(0));
    }

    private static Path executable() {
        for (final String folder : System.getenv("PATH").split(":")) {
            for (final String name : NAMES) {
                final Path file = Path.of(folder, name);
                if (Files.isExecutable(file)) {
                    return file;
                }
            }
        }
        throw new RuntimeFailure("No Chromium is on the PATH. Cure: apt-get install chromium");
    }

    void open(final String address) {
        call("Page.navigate", Map.of("url", address));
    }

    /** The value of a JavaScript expression on the page. */
    JsonNode evaluate(final String expression) {
        return call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true))
                .path("result").path("value");
    }

    /** Waits for a JavaScript condition; when it does not come, the log has what the page showed instead. */
    void await(final String what, final String condition) {
        Await.until(what, DEADLINE, () -> evaluate("!!(" + condition + ")").asBoolean(), () -> {
            final Path picture = process.logs().resolve("page.png");
            save(picture);
            return "the page is in " + picture;
        });
    }

    /** Clicks into the middle of the first element that an expression gives. */
    void click(final String element, final int times) {
        final JsonNode middle = evaluate("(() => { const r = (" + element + ").getBoundingClientRect();"
                + " return [r.x + r.width / 2, r.y + r.height / 2] })()");
        if (!middle.isArray()) {
            throw new RuntimeFailure("Nothing to click on: " + element);
        }
        mouse("mouseMoved", middle, 0);
        for (int count = 1; count <= times; count++) {
            mouse("mousePressed", middle, count);
            mouse("mouseReleased", middle, count);
        }
    }

    private void mouse(final String type, final JsonNode at, final int count) {
        call("Input.dispatchMouseEvent", Map.of("type", type, "x", at.get(0), "y", at.get(1),
                "button", count == 0 ? "none" : "left", "clickCount", count));
    }

    /** Waits until the page looks the same twice; the answer is what it then shows, as PNG in Base64. */
    String awaitStill() {
        final List<String> seen = new ArrayList<>(List.of(""));
        Await.until("the page to come to rest", DEADLINE, () -> {
            seen.add(call("Page.captureScreenshot", Map.of("format", "png")).path("data").asText());
            return seen.get(seen.size() - 1).equals(seen.get(seen.size() - 2));
        });
        return seen.get(seen.size() - 1);
    }

    /** Writes what the page shows once it is at rest, as PNG. */
    void save(final Path file) {
        final String data = awaitStill();
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, Base64.getDecoder().decode(data.getBytes(StandardCharsets.US_ASCII)));
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot write " + file, e);
        }
    }

    private JsonNode call(final String method, final Map<String, Object> parameters) {
        final int id = ++lastId;
        try {
            socket.sendText(NifiClient.JSON.writeValueAsString(
                    Map.of("id", id, "method", method, "params", parameters)), true).join();
            while (true) {
                final JsonNode answer = answers.poll(DEADLINE.toSeconds(), TimeUnit.SECONDS);
                if (answer == null) {
                    throw new RuntimeFailure("Chromium does not answer " + method);
                }
                if (answer.path("id").asInt() == id) {
                    if (answer.has("error")) {
                        throw new RuntimeFailure("Chromium refuses " + method + ": " + answer.path("error"));
                    }
                    return answer.path("result");
                }
            }
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot ask Chromium for " + method, e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RuntimeFailure("Interrupted while waiting for Chromium", e);
        }
    }

    @Override
    public void close() {
        socket.abort();
        process.close();
    }

    /** Puts the parts of each message together. */
    private static final class Answers implements WebSocket.Listener {
        private final BlockingQueue<JsonNode> answers;
        private final StringBuilder text = new StringBuilder();

        Answers(final BlockingQueue<JsonNode> answers) {
            this.answers = answers;
        }

        @Override
        public CompletionStage<?> onText(final WebSocket socket, final CharSequence part, final boolean last) {
            text.append(part);
            if (last) {
                try {
                    answers.add(NifiClient.JSON.readTree(text.toString()));
                } catch (final IOException e) {
                    throw new RuntimeFailure("Chromium's answer is no JSON", e);
                }
                text.setLength(0);
            }
            socket.request(1);
            return null;
        }
    }
}
