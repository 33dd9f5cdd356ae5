package dev.rowhash.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A log of the NAS call table: tab separated, one call a line. It holds what real logs hold and hashes get wrong:
 * Korean in both normal forms, emoji, the separator and backslashes in values, blanks at the ends, long texts, empty
 * fields, calls of one user in one second that differ in one field only, and lines that stand there twice. The same
 * seed gives the same log.
 */
public final class SampleLog {
    private static final int CALLS_A_SECOND = 5;
    private static final int TWIN_EVERY = 20;
    private static final int REPEAT_EVERY = 100;
    private static final int LONG_EVERY = 250;
    private static final int USERS = 300;
    private static final DateTimeFormatter SECOND = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");
    private static final LocalDateTime START = LocalDateTime.of(2026, 3, 2, 9, 0);

    private static final List<String> WORDS = List.of("보고서를", "요약해", "주세요", "회의록", "번역", "이메일", "초안", "작성",
            "데이터", "분석", "결과를", "표로", "정리", "생산", "계획", "검토", "부탁드립니다", "각", "\u1100\u1161\u11a8", "the", "summary", "of",
            "meeting", "😀", "👩‍💻", "\"인용\"", "50%", "a|b", "c:\\temp", "\\N", "{json}", "${not.evaluated}", "'x'", "&");
    private static final List<String> COMPANIES = List.of("한빛전자", "한빛소재", "");
    private static final List<String> DEPARTMENTS = List.of("생산기술팀", "연구소", "품질팀", "");
    private static final List<String> FUNCTIONS = List.of("문서 요약", "메일 작성", "번역");
    private static final List<String> FUNCTIONS_ENGLISH = List.of("summary", "mail", "translate");
    private static final List<String> FUNCTION_TYPES = List.of("SUMMARY", "MAIL", "TRANSLATE");
    private static final List<String> RESPONSES = List.of("200", "200", "500", "");
    private static final List<String> MODELS = List.of("large", "small", "");
    private static final List<String> DEVICES = List.of("PC", "MOBILE", "");

    private SampleLog() {
    }

    public static List<NasCall> calls(final long seed, final int lines) {
        final Random random = new Random(seed);
        final List<NasCall> calls = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            if (i % REPEAT_EVERY == REPEAT_EVERY - 1) {
                calls.add(calls.get(i - 1));
            } else if (i % TWIN_EVERY == 1) {
                calls.add(twin(calls.get(i - 1)));
            } else {
                calls.add(call(random, i));
            }
        }
        return calls;
    }

    public static void write(final Path file, final List<NasCall> calls) {
        final String text = calls.stream().map(call -> call.line() + "\n").collect(Collectors.joining());
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new RuntimeFailure("Cannot write " + file, e);
        }
    }

    /** The same call in the same second from another device. */
    private static NasCall twin(final NasCall call) {
        return call.with("devicetype", call.value("devicetype").equals("PC") ? "MOBILE" : "PC");
    }

    private static NasCall call(final Random random, final int i) {
        final int function = random.nextInt(FUNCTIONS.size());
        final String user = String.format("%05d", random.nextInt(USERS));
        return new NasCall(List.of(
                SECOND.format(START.plusSeconds(i / CALLS_A_SECOND)),
                "EP" + user,
                "svc-" + random.nextInt(12),
                FUNCTION_TYPES.get(function),
                i % 50 == 3 ? "" : String.format("%08x", random.nextInt()),
                pick(random, RESPONSES),
                "user" + user,
                pick(random, COMPANIES),
                pick(random, DEPARTMENTS),
                "http://llm.example/v1/chat/completions",
                pick(random, MODELS),
                i % 20 == 7 ? "" : i % 90 == 5 ? "  앞뒤 공백  " : text(random, i % LONG_EVERY == 12 ? 700 : 12),
                text(random, 16),
                FUNCTIONS.get(function),
                FUNCTIONS_ENGLISH.get(function),
                random.nextBoolean() ? "Y" : "N",
                pick(random, DEVICES)));
    }

    private static String text(final Random random, final int words) {
        return random.ints(words, 0, WORDS.size()).mapToObj(WORDS::get).collect(Collectors.joining(" "));
    }

    private static String pick(final Random random, final List<String> values) {
        return values.get(random.nextInt(values.size()));
    }
}
