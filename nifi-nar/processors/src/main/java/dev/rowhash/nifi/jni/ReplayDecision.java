package dev.rowhash.nifi.jni;

import java.util.Optional;

/** Where a failed item goes on, and what goes with it. */
public final class ReplayDecision {

    private static final String FAILURE = "failure";

    private final String[] texts;
    private final int first;

    /**
     * @param texts as {@link Bindings#replay} gives them
     * @param first the first one of this row
     */
    ReplayDecision(final String[] texts, final int first) {
        this.texts = texts;
        this.first = first;
    }

    /** Why the item cannot be run again; then nothing else is there but a claim, where its retry counts all the same. */
    public Optional<String> failure() {
        return FAILURE.equals(texts[first]) ? Optional.of(texts[first + 1]) : Optional.empty();
    }

    /** The relationship of ReplayLoadLog. */
    public String relationship() {
        return texts[first];
    }

    /** How often the item was run again, this time counted. */
    public String retryCount() {
        return texts[first + 1];
    }

    /** The unit that the items of a file belong to when it is read again. */
    public Optional<String> unit() {
        return text(2);
    }

    /** The item that a file is read again for. */
    public Optional<String> item() {
        return text(3);
    }

    /** The record that marks the item as picked, a line of JSON; none where nothing is to be noted. */
    public Optional<String> claim() {
        return text(4);
    }

    private Optional<String> text(final int index) {
        return Optional.of(texts[first + index]).filter(text -> !text.isEmpty());
    }
}
