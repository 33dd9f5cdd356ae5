package dev.rowhash.nifi;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** One line of rejects: a JSON object of texts, numbers and nulls, as the processors that refuse rows write it. */
final class RejectedRow {

    static final String ROW_INDEX = "row_index";
    static final String ERROR_MESSAGE = "error_message";
    static final String LINE_CONTENT = "line_content";

    private final Map<String, String> values;

    private RejectedRow(final Map<String, String> values) {
        this.values = values;
    }

    /** @throws IllegalArgumentException if the line is no reject; the message says why */
    static RejectedRow parse(final String line) {
        final RejectedRow row = new RejectedRow(new Parser(line).object());
        if (row.get(ROW_INDEX) == null || row.get(ERROR_MESSAGE) == null) {
            throw new IllegalArgumentException("it has no " + ROW_INDEX + " or no " + ERROR_MESSAGE);
        }
        return row;
    }

    /** The value as text; null when it is null or absent. */
    String get(final String name) {
        return values.get(name);
    }

    private static final class Parser {
        private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");

        private final String text;
        private int at;

        private Parser(final String text) {
            this.text = text;
        }

        private Map<String, String> object() {
            final Map<String, String> values = new HashMap<>();
            expect('{');
            if (!next('}')) {
                do {
                    final String name = string();
                    expect(':');
                    values.put(name, value());
                } while (next(','));
                expect('}');
            }
            skipBlanks();
            if (at < text.length()) {
                throw wrong("the end of the line");
            }
            return values;
        }

        private String value() {
            skipBlanks();
            if (at < text.length() && text.charAt(at) == '"') {
                return string();
            }
            final int first = at;
            while (at < text.length() && ",}{[]: \t".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            final String word = text.substring(first, at);
            if (word.equals("null")) {
                return null;
            }
            if (word.equals("true") || word.equals("false") || NUMBER.matcher(word).matches()) {
                return word;
            }
            at = first;
            throw wrong("a text, a number or null");
        }

        private String string() {
            expect('"');
            final StringBuilder value = new StringBuilder();
            while (at < text.length()) {
                final char c = text.charAt(at++);
                if (c == '"') {
                    return value.toString();
                }
                value.append(c == '\\' ? escaped() : c);
            }
            throw wrong("the end of a text");
        }

        private char escaped() {
            final char c = at < text.length() ? text.charAt(at++) : ' ';
            switch (c) {
                case '"':
                case '\\':
                case '/':
                    return c;
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    return unicode();
                default:
                    at--;
                    throw wrong("an escape sequence");
            }
        }

        private char unicode() {
            final int end = at + 4;
            if (end > text.length() || !text.substring(at, end).matches("[0-9a-fA-F]{4}")) {
                throw wrong("four hexadecimal digits");
            }
            final char c = (char) Integer.parseInt(text.substring(at, end), 16);
            at = end;
            return c;
        }

        private void expect(final char c) {
            if (!next(c)) {
                throw wrong("'" + c + "'");
            }
        }

        private boolean next(final char c) {
            skipBlanks();
            if (at < text.length() && text.charAt(at) == c) {
                at++;
                return true;
            }
            return false;
        }

        private void skipBlanks() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }

        private IllegalArgumentException wrong(final String expected) {
            return new IllegalArgumentException(expected + " is expected at character " + (at + 1));
        }
    }
}
