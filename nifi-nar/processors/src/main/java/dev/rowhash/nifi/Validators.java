package dev.rowhash.nifi;

import dev.rowhash.nifi.jni.NativeLibrary;
import dev.rowhash.nifi.jni.RowHashException;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.components.Validator;
import org.apache.nifi.processor.DataUnit;

/** What NiFi's API alone, without its utilities, has no validators for. */
final class Validators {

    private Validators() {
    }

    /** What a processor's validation says when the native library cannot be loaded; nothing when it can. */
    static Collection<ValidationResult> nativeLibrary() {
        try {
            NativeLibrary.get();
            return Collections.emptyList();
        } catch (final RowHashException e) {
            return invalid("Native Library", e.getMessage());
        }
    }

    static Collection<ValidationResult> invalid(final String subject, final String explanation) {
        return Collections.singletonList(new ValidationResult.Builder()
                .subject(subject).valid(false).explanation(explanation).build());
    }

    static Validator wholeNumberFrom(final int least) {
        return (subject, input, context) -> {
            boolean valid;
            try {
                valid = Integer.parseInt(input) >= least;
            } catch (final NumberFormatException e) {
                valid = false;
            }
            return result(subject, input, valid, "it must be a whole number from " + least + " to " + Integer.MAX_VALUE);
        };
    }

    static Validator timePeriod() {
        return (subject, input, context) -> {
            boolean valid;
            try {
                context.newPropertyValue(input).asTimePeriod(TimeUnit.MILLISECONDS);
                valid = true;
            } catch (final IllegalArgumentException e) {
                valid = false;
            }
            return result(subject, input, valid, "it must be a time such as 5 sec, 10 min or 1 hour");
        };
    }

    static Validator dataSizeUpTo(final int most) {
        return (subject, input, context) -> {
            boolean valid;
            try {
                final double bytes = context.newPropertyValue(input).asDataSize(DataUnit.B);
                valid = bytes >= 1 && bytes <= most;
            } catch (final IllegalArgumentException e) {
                valid = false;
            }
            return result(subject, input, valid, "it must be a size such as 64 KB or 1 MB, up to " + most + " B");
        };
    }

    static Validator characterSet() {
        return (subject, input, context) -> {
            boolean valid;
            try {
                valid = Charset.isSupported(input);
            } catch (final IllegalCharsetNameException e) {
                valid = false;
            }
            return result(subject, input, valid, "it must be a character set that Java knows, such as UTF-8 or EUC-KR");
        };
    }

    static Validator timeZone() {
        return (subject, input, context) -> {
            boolean valid;
            try {
                ZoneId.of(input);
                valid = true;
            } catch (final DateTimeException e) {
                valid = false;
            }
            return result(subject, input, valid, "it must be a time zone such as UTC, +09:00 or Asia/Seoul");
        };
    }

    static Validator pattern(final String pattern, final String explanation) {
        return (subject, input, context) -> result(subject, input, input.matches(pattern), explanation);
    }

    private static ValidationResult result(final String subject, final String input, final boolean valid,
                                           final String explanation) {
        return new ValidationResult.Builder().subject(subject).input(input).valid(valid).explanation(explanation).build();
    }
}
