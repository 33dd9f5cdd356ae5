package dev.rowhash.nifi.kudu;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kudu.client.KuduTable;
import org.apache.kudu.client.Operation;

/** What is done with a row. */
enum OperationType {
    UPSERT(Cells.ALL, KuduTable::newUpsert),
    INSERT(Cells.ALL, KuduTable::newInsert),
    INSERT_IGNORE(Cells.ALL, KuduTable::newInsertIgnore),
    UPDATE(Cells.SOME, KuduTable::newUpdate),
    UPDATE_IGNORE(Cells.SOME, KuduTable::newUpdateIgnore),
    DELETE(Cells.KEY, KuduTable::newDelete),
    DELETE_IGNORE(Cells.KEY, KuduTable::newDeleteIgnore);

    static final String NAMES = Arrays.stream(values()).map(Enum::name).collect(Collectors.joining(", "));

    /** Which cells a row of the operation has: each that is required, the key and any others, or the key alone. */
    private enum Cells { ALL, SOME, KEY }

    private final Cells cells;
    private final Function<KuduTable, Operation> maker;

    OperationType(final Cells cells, final Function<KuduTable, Operation> maker) {
        this.cells = cells;
        this.maker = maker;
    }

    /** @param name as a property, an attribute or a record has it; upper and lower case are the same */
    static Optional<OperationType> of(final String name) {
        final String wanted = name.trim().toUpperCase(Locale.ROOT);
        return Arrays.stream(values()).filter(type -> type.name().equals(wanted)).findFirst();
    }

    Operation on(final KuduTable table) {
        return maker.apply(table);
    }

    boolean writesKeyOnly() {
        return cells == Cells.KEY;
    }

    /** Whether a column that is NOT NULL and has no default needs a value. */
    boolean needsEachRequiredColumn() {
        return cells == Cells.ALL;
    }
}
