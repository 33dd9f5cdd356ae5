package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The statements of a file that operators run, so that what is tested is what they have. */
public final class SqlScript {
    private static final Pattern END = Pattern.compile(";\\s*(?:\\R|$)");
    private static final Pattern COMMENT = Pattern.compile("--.*");
    private static final Pattern PARAMETER = Pattern.compile("\\$\\{(\\w+)}");

    private final Path file;
    private final List<String> statements;

    private SqlScript(final Path file, final List<String> statements) {
        this.file = file;
        this.statements = statements;
    }

    /** {@code path}: below the project's folder. */
    public static SqlScript read(final String path) {
        final Path file = Project.root().resolve(path);
        try {
            final List<String> statements = new ArrayList<>();
            for (final String part : END.split(Files.readString(file))) {
                if (!COMMENT.matcher(part).replaceAll("").isBlank()) {
                    statements.add(part.strip());
                }
            }
            return new SqlScript(file, statements);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot read " + file, e);
        }
    }

    /** With their comments, without the semicolons. */
    public List<String> statements() {
        return statements;
    }

    /** A statement, counted from 1 as the file's comments do, with values in place of its parameters. */
    public String statement(final int number, final Map<String, String> values) {
        return PARAMETER.matcher(statements.get(number - 1)).replaceAll(found -> value(found, values));
    }

    private String value(final MatchResult parameter, final Map<String, String> values) {
        final String value = values.get(parameter.group(1));
        if (value == null) {
            throw new RuntimeFailure("No value is given for " + parameter.group() + " of " + file);
        }
        return Matcher.quoteReplacement(value.replace("'", "''"));
    }
}
