import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.hive.common.type.Date;
import org.apache.hadoop.hive.common.type.HiveDecimal;
import org.apache.hadoop.hive.common.type.Timestamp;
import org.apache.hadoop.hive.ql.exec.FunctionRegistry;
import org.apache.hadoop.hive.ql.metadata.HiveException;
import org.apache.hadoop.hive.ql.parse.ASTNode;
import org.apache.hadoop.hive.ql.parse.BaseSemanticAnalyzer;
import org.apache.hadoop.hive.ql.parse.HiveParser;
import org.apache.hadoop.hive.ql.parse.ParseDriver;
import org.apache.hadoop.hive.ql.udf.generic.GenericUDF;
import org.apache.hadoop.hive.ql.udf.generic.GenericUDF.DeferredJavaObject;
import org.apache.hadoop.hive.ql.udf.generic.GenericUDF.DeferredObject;
import org.apache.hadoop.hive.serde2.objectinspector.ObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.PrimitiveObjectInspector;
import org.apache.hadoop.hive.serde2.objectinspector.primitive.PrimitiveObjectInspectorFactory;
import org.apache.hadoop.hive.serde2.objectinspector.primitive.PrimitiveObjectInspectorUtils;
import org.apache.hadoop.hive.serde2.typeinfo.PrimitiveTypeInfo;
import org.apache.hadoop.hive.serde2.typeinfo.TypeInfoFactory;
import org.apache.hadoop.hive.serde2.typeinfo.TypeInfoUtils;
import org.apache.hadoop.io.Text;

/**
 * Evaluates the last column of a SELECT with Hive's own parser, literals and functions, without a Hive.
 *
 * <p>Reads requests from standard input and answers each with a line, {@code ok} or {@code error ...}:
 * {@code parse SQL} and {@code eval SQL ROWS HASHES}, the names of three files. A line of ROWS has the cells of a row
 * in Base64, {@code -} for null; its first lines are the columns' names and types.
 */
public final class HiveFunctions {
    private HiveFunctions() {
    }

    public static void main(final String[] arguments) throws IOException {
        final BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            try {
                answer(request.split(" "));
                System.out.println("ok");
            } catch (final Exception | LinkageError e) {
                e.printStackTrace();
                System.out.println("error " + e.toString().replace('\n', ' '));
            }
            System.out.flush();
        }
    }

    private static void answer(final String[] request) throws Exception {
        final ASTNode tree = new ParseDriver().parse(Files.readString(Path.of(request[1]))).getTree();
        if (request[0].equals("eval")) {
            evaluate(tree, Path.of(request[2]), Path.of(request[3]));
        }
    }

    private static void evaluate(final ASTNode tree, final Path rows, final Path hashes) throws Exception {
        try (BufferedReader reader = Files.newBufferedReader(rows); BufferedWriter writer = Files.newBufferedWriter(hashes)) {
            final List<String> names = cells(reader.readLine());
            final List<String> types = cells(reader.readLine());
            final Row row = new Row(names, types);
            final ASTNode select = find(tree, HiveParser.TOK_SELECT);
            final ASTNode last = (ASTNode) select.getChild(select.getChildCount() - 1);
            final Expression hash = row.expression((ASTNode) last.getChild(0));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                row.set(cells(line));
                writer.write(String.valueOf(PrimitiveObjectInspectorUtils.getString(hash.value(),
                        (PrimitiveObjectInspector) hash.inspector())));
                writer.newLine();
            }
        }
    }

    private static List<String> cells(final String line) {
        final List<String> cells = new ArrayList<>();
        for (final String cell : line.split("\t", -1)) {
            cells.add(cell.equals("-") ? null : new String(Base64.getDecoder().decode(cell), StandardCharsets.UTF_8));
        }
        return cells;
    }

    private static ASTNode find(final ASTNode node, final int type) {
        if (node.getType() == type) {
            return node;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            final ASTNode found = find((ASTNode) node.getChild(i), type);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Something with a value for the row that is set. */
    interface Expression {
        ObjectInspector inspector();

        Object value() throws HiveException;
    }

    /** The columns of a table with the values of one row, and expressions over them. */
    static final class Row {
        private final List<PrimitiveTypeInfo> types = new ArrayList<>();
        private final Map<String, Integer> positions = new HashMap<>();
        private Object[] values;

        Row(final List<String> names, final List<String> typeNames) {
            for (int i = 0; i < names.size(); i++) {
                positions.put(names.get(i).toLowerCase(Locale.ROOT), i);
                types.add((PrimitiveTypeInfo) TypeInfoUtils.getTypeInfoFromTypeString(typeNames.get(i)));
            }
        }

        void set(final List<String> texts) {
            values = new Object[texts.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = texts.get(i) == null ? null : value(types.get(i), texts.get(i));
            }
        }

        private static Object value(final PrimitiveTypeInfo type, final String text) {
            final Object java;
            switch (type.getPrimitiveCategory()) {
                case STRING: java = text; break;
                case BYTE: java = Byte.valueOf(text); break;
                case INT: java = Integer.valueOf(text); break;
                case LONG: java = Long.valueOf(text); break;
                case DECIMAL: java = HiveDecimal.create(text); break;
                case BOOLEAN: java = Boolean.valueOf(text); break;
                case DATE: java = Date.valueOf(text); break;
                case TIMESTAMP: java = Timestamp.valueOf(text); break;
                default: throw new IllegalArgumentException("no type " + type);
            }
            return PrimitiveObjectInspectorFactory.getPrimitiveJavaObjectInspector(type).getPrimitiveWritableObject(java);
        }

        Expression expression(final ASTNode node) throws Exception {
            switch (node.getType()) {
                case HiveParser.TOK_TABLE_OR_COL:
                    return column(BaseSemanticAnalyzer.unescapeIdentifier(node.getChild(0).getText()));
                case HiveParser.StringLiteral:
                    return constant(BaseSemanticAnalyzer.unescapeSQLString(node.getText()));
                case HiveParser.TOK_FUNCTION:
                    final ASTNode name = (ASTNode) node.getChild(0);
                    return call(name.getType() == HiveParser.TOK_STRING ? "string" : name.getText(), node, 1);
                default:
                    // An operator: its text is the function's name.
                    return call(node.getText(), node, 0);
            }
        }

        private Expression column(final String name) {
            final Integer position = positions.get(name.toLowerCase(Locale.ROOT));
            if (position == null) {
                throw new IllegalArgumentException("no column " + name + " among " + positions.keySet());
            }
            return expression(PrimitiveObjectInspectorFactory.getPrimitiveWritableObjectInspector(types.get(position)),
                    () -> values[position]);
        }

        private static Expression constant(final String text) {
            final Text value = new Text(text);
            return expression(PrimitiveObjectInspectorFactory.getPrimitiveWritableConstantObjectInspector(
                    TypeInfoFactory.stringTypeInfo, value), () -> value);
        }

        private Expression call(final String name, final ASTNode node, final int firstArgument) throws Exception {
            final List<Expression> arguments = new ArrayList<>();
            for (int i = firstArgument; i < node.getChildCount(); i++) {
                arguments.add(expression((ASTNode) node.getChild(i)));
            }
            final GenericUDF function = FunctionRegistry.getFunctionInfo(name.toLowerCase()).getGenericUDF();
            final ObjectInspector inspector = function.initialize(
                    arguments.stream().map(Expression::inspector).toArray(ObjectInspector[]::new));
            return expression(inspector, () -> {
                final DeferredObject[] given = new DeferredObject[arguments.size()];
                for (int i = 0; i < given.length; i++) {
                    given[i] = new DeferredJavaObject(arguments.get(i).value());
                }
                return function.evaluate(given);
            });
        }

        /** Computes a value. */
        interface Source {
            Object get() throws HiveException;
        }

        private static Expression expression(final ObjectInspector inspector, final Source source) {
            return new Expression() {
                @Override
                public ObjectInspector inspector() {
                    return inspector;
                }

                @Override
                public Object value() throws HiveException {
                    return source.get();
                }
            };
        }
    }
}
