package dev.rowhash.nifi.kudu;

import java.time.ZoneId;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.nifi.components.PropertyValue;
import org.apache.nifi.components.ValidationContext;
import org.apache.nifi.components.ValidationResult;
import org.apache.nifi.components.Validator;
import org.apache.nifi.processor.DataUnit;
import org.apache.nifi.record.path.RecordPath;
import org.apache.nifi.record.path.exception.RecordPathException;

/** The properties' validators: each says what a right value looks like. */
final class Validators {

    private Validators() {
    }

    static Validator masters() {
        return check("it must be the addresses of Kudu's masters, such as kudu-1:7051,kudu-2:7051", Masters::new);
    }

    static Validator operation() {
        return (subject, input, context) -> {
            final boolean later = context.isExpressionLanguagePresent(input);
            return result(subject, input, later || OperationType.of(input).isPresent(),
                    "it must be one of " + OperationType.NAMES + ", or an expression that gives one");
        };
    }

    static Validator recordPath() {
        return check("it must be a RecordPath, such as /operation", RecordPath::compile);
    }

    static Validator format() {
        return check("it must be a pattern of java.time, such as yyyy-MM-dd HH:mm:ss.SSS", TimeRules::formatter);
    }

    static Validator zone() {
        return check("it must be a zone's name or an offset, such as UTC, Asia/Seoul or +09:00", ZoneId::of);
    }

    static Validator wholeNumber(final int least, final int most) {
        return check("it must be a whole number from " + least + " to " + most, input -> {
            final int number = Integer.parseInt(input);
            if (number < least || number > most) {
                throw new IllegalArgumentException();
            }
        });
    }

    static Validator dataSize(final long most) {
        return ofValue("it must be a size such as 8 MB, at most " + most / 1024 / 1024 + " MB", value -> {
            final double size = value.asDataSize(DataUnit.B);
            if (size < 1 || size > most) {
                throw new IllegalArgumentException();
            }
        });
    }

    static Validator timePeriod(final int mostMillis) {
        return ofValue("it must be a time such as 30 sec, from 1 ms to " + mostMillis / 1000 + " sec", value -> {
            final long millis = value.asTimePeriod(TimeUnit.MILLISECONDS);
            if (millis < 1 || millis > mostMillis) {
                throw new IllegalArgumentException();
            }
        });
    }

    private static Validator ofValue(final String explanation, final Consumer<PropertyValue> check) {
        return (subject, input, context) -> result(subject, input, passes(context.newPropertyValue(input), check), explanation);
    }

    private static Validator check(final String explanation, final Consumer<String> check) {
        return (final String subject, final String input, final ValidationContext context) ->
                result(subject, input, passes(input, check), explanation);
    }

    private static <T> boolean passes(final T value, final Consumer<T> check) {
        try {
            check.accept(value);
            return true;
        } catch (final IllegalArgumentException | java.time.DateTimeException | RecordPathException e) {
            return false;
        }
    }

    private static ValidationResult result(final String subject, final String input, final boolean valid,
                                           final String explanation) {
        return new ValidationResult.Builder().subject(subject).input(input).valid(valid).explanation(explanation).build();
    }
}
