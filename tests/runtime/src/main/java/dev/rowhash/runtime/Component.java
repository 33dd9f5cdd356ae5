package dev.rowhash.runtime;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a processor or a controller service shall be; properties by the names that the page shows. */
public final class Component {
    private final String type;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<String> autoTerminated = new ArrayList<>();
    private String name;
    private String version;
    private String period = "0 sec";

    private Component(final String type) {
        this.type = type;
        this.name = type;
    }

    /** {@code type}: the simple class name. */
    public static Component of(final String type) {
        return new Component(type);
    }

    /** A controller service that connects NiFi with a database, by a driver that this JVM has. */
    public static Component pool(final String url, final Class<? extends Driver> driver) {
        try {
            return of("DBCPConnectionPool").set("Database Connection URL", url)
                    .set("Database Driver Class Name", driver.getName())
                    .set("Database Driver Location(s)",
                            Path.of(driver.getProtectionDomain().getCodeSource().getLocation().toURI()).toString());
        } catch (final URISyntaxException e) {
            throw new RuntimeFailure("The driver " + driver.getName() + " is in no file", e);
        }
    }

    public Component named(final String newName) {
        this.name = newName;
        return this;
    }

    /** The NAR's version, needed only where several are loaded. */
    public Component version(final String newVersion) {
        this.version = newVersion;
        return this;
    }

    public Component set(final String property, final String value) {
        properties.put(property, value);
        return this;
    }

    public Component set(final Map<String, String> values) {
        properties.putAll(values);
        return this;
    }

    /** What a property is set to; null when it is not. */
    public String property(final String property) {
        return properties.get(property);
    }

    public Component every(final String newPeriod) {
        this.period = newPeriod;
        return this;
    }

    public Component autoTerminate(final String... relationships) {
        autoTerminated.addAll(List.of(relationships));
        return this;
    }

    String type() {
        return type;
    }

    String name() {
        return name;
    }

    String version() {
        return version;
    }

    String period() {
        return period;
    }

    Map<String, String> properties() {
        return properties;
    }

    List<String> autoTerminated() {
        return autoTerminated;
    }
}
