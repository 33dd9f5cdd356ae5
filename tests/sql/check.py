#!/usr/bin/env python3
"""Runs the texts of `rowhash sql` on real engines, over every golden row and 10,000 generated ones.

    check.py --rowhash FILE [--engines FOLDER] [--only DIALECT]

FOLDER holds the Python packages of DuckDB, ClickHouse (chdb) and Spark. For each engine:
the hashes of all tables of rows.py; both canonical forms; `verify` on rows some of which are spoiled
on purpose; `backfill`, broken off after its first statement and then run in full, twice; the DDL.
Then each expression is broken on purpose: a mistake that the rows do not show fails the check.
"""

import argparse
import base64
import csv
import glob
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import rows

ID = ("rowhash_id", "int")
# Hours from UTC, so that a text in the session's time zone is a wrong one.
ZONE = "Asia/Seoul"


class Engine:
    """One database; `load` makes a table from rows, `run` gives a query's rows as lists of texts."""

    dialect = version = None
    queries = updates = keyed = True

    def typed(self, kind):
        return kind

    def quoted(self, name):
        return '"' + name.replace('"', '""') + '"'

    def one(self, sql):
        return self.run(sql)[0][0]

    def hashes(self, select):
        """What a select gives: id to hash."""
        inner = select.rstrip(";\n")
        return {int(row[0]): row[1] for row in self.run(f"SELECT {ID[0]}, row_hash FROM (\n{inner}\n) AS hashed")}


class DuckDb(Engine):
    dialect = "duckdb"

    def __init__(self, _folder):
        import duckdb
        self.version = duckdb.__version__
        self.connection = duckdb.connect()
        self.run(f"SET TimeZone = '{ZONE}'")

    def run(self, sql):
        result = self.connection.execute(sql)
        return result.fetchall() if result.description else []

    def load(self, name, columns, lines, ddl=None):
        kinds = [self.typed(kind) for _, kind in columns]
        self.run(f"DROP TABLE IF EXISTS {name}")
        self.run(ddl or f"CREATE TABLE {name} ({self.schema(columns, kinds)})")
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            for line in lines:
                file.write(json.dumps({f"c{i}": cell for i, cell in enumerate(line)}) + "\n")
            file.flush()
            names = ", ".join(f"c{i}: 'VARCHAR'" for i in range(len(columns)))
            cells = ", ".join(f"CAST(c{i}{self.zone(kind)} AS {kind})" for i, kind in enumerate(kinds))
            into = ", ".join(self.quoted(column) for column, _ in columns)
            self.run(f"INSERT INTO {name} ({into}) SELECT {cells} FROM read_json('{file.name}', columns = {{{names}}})")

    def zone(self, kind):
        return " || '+00'" if kind == "timestamptz" else ""

    def schema(self, columns, kinds):
        return ", ".join(f"{self.quoted(name)} {kind}" for (name, _), kind in zip(columns, kinds))

    def typed(self, kind):
        return "varchar" if kind == "string" else kind


class Postgres(DuckDb):
    """A server of its own, in a temporary folder, on a free port of the loopback address."""

    dialect = "postgres"

    def __init__(self, folder):
        found = shutil.which("initdb") or max(glob.glob("/usr/lib/postgresql/*/bin/initdb"), default=None)
        if not found:
            sys.exit("check.py: PostgreSQL is missing: apt-get install postgresql")
        self.bin = Path(found).resolve().parent
        # The server refuses to run as root.
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        self.data = Path(folder) / "postgres"
        self.data.mkdir(mode=0o755)
        if self.user:
            os.chmod(folder, 0o755)
            subprocess.run(["chown", "postgres", self.data], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.tool("initdb", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C", "-U", "postgres", "-D", self.data / "db")
        # The settings that a text could wrongly depend on are set against it.
        options = (f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c timezone={ZONE} "
                   "-c datestyle=German -c standard_conforming_strings=off -c escape_string_warning=off")
        self.tool("pg_ctl", "-w", "-t", "120", "-D", self.data / "db", "-l", self.data / "log", "-o", options, "start")
        self.version = self.one("SHOW server_version").split()[0]

    def tool(self, name, *arguments):
        subprocess.run([*self.user, self.bin / name, *map(str, arguments)], check=True, cwd="/", stdout=subprocess.DEVNULL)

    def close(self):
        self.tool("pg_ctl", "-w", "-D", self.data / "db", "-m", "immediate", "stop")

    def psql(self, *arguments, text=None):
        command = [self.bin / "psql", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-X", "-q", "-v", "ON_ERROR_STOP=1"]
        done = subprocess.run([*command, *arguments], input=text, capture_output=True, cwd="/", encoding="utf-8")
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout

    def run(self, sql):
        # A null and an empty text are two things in this CSV: one has no quotes.
        text = self.psql("--csv", "-t", "-P", "null=\x01", "-f", "-", text=sql)
        return [[None if cell == "\x01" else cell for cell in line] for line in csv.reader(io.StringIO(text, newline=""))]

    def load(self, name, columns, lines, ddl=None):
        kinds = [self.typed(kind) for _, kind in columns]
        self.run(f"DROP TABLE IF EXISTS {name}; {ddl or f'CREATE TABLE {name} ({self.schema(columns, kinds)})'}")
        into = ", ".join(self.quoted(column) for column, _ in columns)
        text = "".join("\t".join(self.cell(*pair) for pair in zip(line, kinds)) + "\n" for line in lines)
        self.psql("-c", f"COPY {name} ({into}) FROM STDIN", text=text)

    def cell(self, value, kind):
        if value is None:
            return "\\N"
        value = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
        return value + "+00" if kind == "timestamptz" else value

    def typed(self, kind):
        return {"string": "text", "tinyint": "smallint"}.get(kind, kind)


class ClickHouse(Engine):
    dialect = "clickhouse"
    updates = False
    types = {"string": "String", "tinyint": "Int8", "int": "Int32", "bigint": "Int64", "boolean": "Bool", "date": "Date32",
             "timestamp": f"DateTime64(6, '{ZONE}')"}

    def __init__(self, folder):
        from chdb.session import Session
        self.folder, self.session = folder, Session()
        self.run(f"SET session_timezone = '{ZONE}', mutations_sync = 2, output_format_decimal_trailing_zeros = 1, "
                 "output_format_json_quote_64bit_integers = 0")
        self.run("CREATE DATABASE checked; USE checked")
        self.version = self.one("SELECT version()")

    def run(self, sql):
        answer = ""
        for statement in sql.split(";\n"):
            if statement.strip():
                answer = self.session.query(statement.strip().rstrip(";"), "JSONCompactEachRow").bytes() or b""
        return [json.loads(line) for line in answer.splitlines()] if answer else []

    def load(self, name, columns, lines, ddl=None):
        types = [self.typed(kind) for _, kind in columns]
        self.run(f"DROP TABLE IF EXISTS {name}")
        schema = ", ".join(f"{self.quoted(column)} {kind}" for (column, _), kind in zip(columns, types))
        self.run(ddl or f"CREATE TABLE {name} ({schema}) ENGINE = MergeTree ORDER BY tuple()")
        file = Path(self.folder) / "rows.json"
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        texts = ", ".join(f"c{i} Nullable(String)" for i in range(len(columns)))
        cells = ", ".join(f"parseDateTime64BestEffortOrNull(c{i} || 'Z', 6, 'UTC')" if "DateTime64" in kind
                          else f"CAST(c{i} AS {kind})" for i, kind in enumerate(types))
        into = ", ".join(self.quoted(column) for column, _ in columns)
        self.run(f"INSERT INTO {name} ({into}) SELECT {cells} FROM file('{file}', JSONCompactEachRow, '{texts}')")

    def quoted(self, name):
        return '"' + name.replace("\\", "\\\\").replace('"', '""') + '"'

    def typed(self, kind):
        return f"Nullable({self.types.get(kind, kind.capitalize())})"


class Spark(Engine):
    dialect = "spark"
    updates = keyed = False

    def __init__(self, folder):
        os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
        from pyspark.sql import SparkSession
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.sql.warehouse.dir", f"{folder}/spark").config("spark.local.dir", folder)
        builder = builder.config("spark.sql.session.timeZone", ZONE).config("spark.driver.bindAddress", "127.0.0.1")
        # Off, decimals are cast to texts with exponents: the harder case for an expression.
        builder = builder.config("spark.sql.ansi.enabled", "false").config("spark.sql.shuffle.partitions", "2")
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")
        self.version = self.session.version
        self.folder = folder

    def run(self, sql):
        return [list(row) for row in self.session.sql(sql).collect()]

    def load(self, name, columns, lines, ddl=None):
        file = Path(self.folder) / f"{name}.json"
        file.write_text("".join(json.dumps({f"c{i}": cell for i, cell in enumerate(line)}) + "\n" for line in lines), encoding="utf-8")
        texts = self.session.read.schema(", ".join(f"c{i} STRING" for i in range(len(columns)))).json(str(file))
        cells = [f"{self.cast(f'c{i}', kind)} AS {self.quoted(column)}" for i, (column, kind) in enumerate(columns)]
        view = texts.selectExpr(*cells)
        if ddl:
            self.run(f"DROP TABLE IF EXISTS {name}")
            self.run(ddl)
            view.select(*[self.quoted(row[0]) for row in self.run(f"DESCRIBE {name}")]).write.insertInto(name)
        else:
            view.createOrReplaceTempView(name)

    def cast(self, text, kind):
        return f"CAST(concat({text}, 'Z') AS TIMESTAMP)" if kind == "timestamp" else f"CAST({text} AS {kind})"

    def quoted(self, name):
        return f"`{name.replace('`', '``')}`"

    def parse(self, sql):
        parser = self.session._jsparkSession.sessionState().sqlParser()
        for statement in statements(sql):
            parser.parsePlan(statement)


class Hive(Engine):
    """Hive's own parser and functions: a select's hash is evaluated, other statements are parsed."""

    dialect = "hive"
    queries = False

    def __init__(self, folder, classpath):
        self.folder = Path(folder)
        self.version = re.search(r"hive-exec-([\d.]+)\.jar", classpath)[1]
        program = Path(__file__).parent / "hive/HiveFunctions.java"
        java = Path(os.environ["JAVA_HOME"]) / "bin/java" if "JAVA_HOME" in os.environ else "java"
        self.log = open(self.folder / "log", "w", encoding="utf-8")
        # Hive 4.0 looks into the JDK's own classes.
        opened = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "net", "util", "util.concurrent.atomic", "time", "io")]
        self.process = subprocess.Popen([java, *opened, f"-Duser.timezone={ZONE}", "-cp", classpath, program], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, encoding="utf-8")

    def load(self, name, columns, lines, ddl=None):
        def line(cells):
            return "\t".join("-" if cell is None else base64.b64encode(cell.encode("utf-8")).decode("ascii") for cell in cells) + "\n"
        text = line(name for name, _ in columns) + line(kind for _, kind in columns) + "".join(map(line, lines))
        (self.folder / "rows").write_text(text, encoding="ascii")

    def ask(self, command, sql, *files):
        (self.folder / "sql").write_text(sql.rstrip(";\n"), encoding="utf-8")
        print(command, self.folder / "sql", *files, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise RuntimeError(answer + (self.folder / "log").read_text(encoding="utf-8")[-2000:])

    def hashes(self, select):
        self.ask("eval", select, self.folder / "rows", self.folder / "hashes")
        return dict(enumerate((self.folder / "hashes").read_text(encoding="ascii").splitlines()))

    def parse(self, sql):
        for statement in statements(sql):
            self.ask("parse", statement)

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.log.close()


def statements(sql):
    return [part.strip() for part in re.split(r";\n", sql) if part.strip()]


class Check:
    def __init__(self, engine, rowhash):
        self.engine, self.rowhash, self.failures, self.counts = engine, rowhash, [], {}

    def sql(self, command, table, **options):
        arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        arguments = [f"--table={table.name}", f"--columns={table.list()}", f"--other-columns={':'.join(ID)}", *arguments]
        options.get("form") or arguments.append(f"--form={table.form}")
        done = subprocess.run([self.rowhash, "sql", command, f"--dialect={self.engine.dialect}", *arguments],
                              capture_output=True, encoding="utf-8")
        if done.returncode:
            raise RuntimeError(f"rowhash sql {command}: {done.stderr}")
        return done.stdout

    def count(self, what, number):
        self.counts[what] = self.counts.get(what, 0) + number

    def expect(self, what, actual, expected):
        """Both: id to whatever must be the same."""
        wrong = [key for key in sorted(actual.keys() | expected.keys()) if actual.get(key) != expected.get(key)]
        if wrong:
            samples = "; ".join(f"{key}: {actual.get(key)}, must be {expected.get(key)}" for key in wrong[:3])
            self.failures.append(f"{what}: {len(wrong)} rows differ: {samples}")

    def load(self, table, hashes=None, ddl=None):
        columns = [*table.columns, ID, *([("row_hash", "string")] if hashes else [])]
        lines = [[*values, str(i), *([hashes[i]] if hashes else [])] for i, (values, _) in enumerate(table.rows)]
        self.engine.load(table.name, columns, lines, ddl)

    def run(self):
        for table in rows.tables(self.engine.dialect):
            expected = {i: row_hash for i, (_, row_hash) in enumerate(table.rows)}
            self.load(table)
            text = self.sql("select", table)
            self.expect(f"select {table.name} ({table.list()[:60]})", self.engine.hashes(text), expected)
            self.count("golden" if table.name.startswith("golden") else table.name.split("_")[0], len(table.rows))
            if table.name == "generated":
                escaped = {i: table.hash(values, "escaped") for i, (values, _) in enumerate(table.rows)}
                other = self.sql("select", table, form="escaped")
                self.expect("select, escaped form", self.engine.hashes(other), escaped)
                self.mutants(text, expected)
                self.mutants(other, escaped)
                if self.failures:
                    return self
                if self.engine.queries:
                    self.verify_and_repair(table, expected)
                else:
                    for command in ("verify", "backfill", "ddl"):
                        self.engine.parse(self.sql(command, table, key=ID[0]))
        return self

    def verify_and_repair(self, table, right):
        spoiled = {i: spoil(i, row_hash) for i, row_hash in right.items()}
        self.load(table, spoiled)
        verify = self.sql("verify", table, key=ID[0])
        wrong = {i: (spoiled[i], right[i]) for i in right if spoiled[i] != right[i]}
        self.expect("verify", {int(row[0]): (row[1], row[2]) for row in self.engine.run(verify)}, wrong)
        self.count("spoiled", len(wrong))
        if self.engine.updates:
            self.repair(table, self.sql("backfill", table), verify, right)
        else:
            self.load(table, right)
            self.expect("verify of right rows", {row[0]: row for row in self.engine.run(verify)}, {})
        if self.engine.keyed:
            self.repair_keyed(table, verify, right)
        if self.engine.dialect == "spark":
            self.engine.parse(self.sql("backfill", table))
            moved = rows.Table("made", table.form, table.columns)
            moved.rows = table.rows
            self.load(moved, right, self.sql("ddl", moved, key=ID[0]))
            self.expect("verify of a table of the DDL", {row[0]: row for row in self.engine.run(self.sql("verify", moved))}, {})

    def repair(self, table, backfill, verify, right):
        for _ in range(2):
            for statement in statements(backfill):
                self.engine.run(statement + ";\n")
            self.expect("verify after backfill", {row[0]: row[1:] for row in self.engine.run(verify)}, {})
            self.expect("select after backfill", self.engine.hashes(self.sql("select", table)), right)
            self.expect("stored after backfill", self.stored(table), {i: (row_hash, 1) for i, row_hash in right.items()})

    def repair_keyed(self, table, verify, right):
        """The hash in the key; some wrong rows are there with the right hash too."""
        spoiled = {i: spoil(i, row_hash) or row_hash for i, row_hash in right.items()}
        twins = [i for i in right if spoiled[i] != right[i]][::7]
        doubled = rows.Table(table.name, table.form, table.columns)
        doubled.rows = table.rows + [table.rows[i] for i in twins]
        ids = list(right) + twins
        hashes = [spoiled[i] for i in right] + [right[i] for i in twins]
        columns = [*table.columns, ID, ("row_hash", "string")]
        lines = [[*values, str(i), stored] for (values, _), i, stored in zip(doubled.rows, ids, hashes)]
        self.engine.load(table.name, columns, lines, self.sql("ddl", table, key=ID[0]))
        if len(self.engine.run(verify)) != len(wrong := [i for i in right if spoiled[i] != right[i]]):
            self.failures.append(f"verify of the keyed table does not list its {len(wrong)} wrong rows")
        backfill = self.sql("backfill", table, key=ID[0])
        self.engine.run(statements(backfill)[0] + ";\n")
        self.repair(table, backfill, verify, right)

    def stored(self, table):
        """Id to the stored hash and how often it is there."""
        final = " FINAL" if self.engine.dialect == "clickhouse" else ""
        found = {}
        for number, row_hash in self.engine.run(f"SELECT {ID[0]}, row_hash FROM {table.name}{final}"):
            seen = found.get(int(number))
            found[int(number)] = (row_hash, seen[1] + 1 if seen else 1)
        return found

    def mutants(self, text, expected):
        for name, mutant in mutants(text, self.engine.dialect):
            if mutant == text:
                self.failures.append(f"mutant '{name}' changes nothing: the check of the check is out of date")
                continue
            try:
                different = {i for i, row_hash in self.engine.hashes(mutant).items() if row_hash != expected[i]}
            except Exception as refused:  # Each engine has its own class; a refused text is no wrong hash.
                if name not in ("digits of digits", "no trimming"):
                    self.failures.append(f"mutant '{name}' does not run: {str(refused)[:200]}")
                continue
            if not different:
                self.failures.append(f"mutant '{name}' gives the same hashes: the rows do not show the mistake")
            self.count("mutants", 1)


def spoil(i, row_hash):
    if i % 97 == 0:
        return None
    if i % 101 == 0:
        return row_hash[:-1] + ("0" if row_hash[-1] != "0" else "1")
    if i % 103 == 0:
        return row_hash.upper()
    return row_hash


def mutants(text, dialect):
    """The text with one mistake each, of those that people make."""
    token = re.search(r"E?'\\+N'", text).group()
    more = token.replace("\\", "\\\\")
    yield "another separator", text.replace("'|'", "','")
    yield "token with too many backslashes", text.replace(token, more)
    yield "empty texts are values", re.sub(r"nullif\((.*), ''\)", r"\1", text)
    if "array_" in text:
        yield "nulls passed over", text.replace(f", {token})", ")")
    else:
        yield "nulls passed over", re.sub(rf"coalesce\((.*), {re.escape(token)}\)", r"\1", text)
    lines = text.split("\n")
    first = next(i for i, line in enumerate(lines) if "nullif(" in line)
    yield "another order", "\n".join([*lines[:first], lines[first + 1], lines[first], *lines[first + 2:]])
    function = "lower(hex(MD5(" if "lower(hex(MD5(" in text else "md5("
    yield "digits of digits", text.replace(function, "lower(hex(" + function, 1).replace(") AS", "))) AS", 1)
    trim = r"\w+\(\w+\((.*), '\(\[\.\]\[0-9\]\*\[1-9\]\)0\+\$', [^,]*\), '\[\.\]0\+\$', ''\)"
    plain = re.sub(trim, r"\1", text)
    yield "no trimming", re.sub(r"format_number\((.*), '.*'\)", r"CAST(\1 AS STRING)", plain.replace("trim_scale", ""))
    if dialect == "spark":
        yield "the session's time zone", re.sub(r"CAST\(TIMESTAMP_NTZ.*unix_micros\((.*)\) \*.* AS STRING\)", r"CAST(\1 AS STRING)", text)
    if dialect == "clickhouse":
        yield "the session's time zone", text.replace(", 'UTC'", "")
    if dialect == "postgres":
        yield "the session's time zone", text.replace(" AT TIME ZONE 'UTC'", "")
        yield "the session's date style", re.sub(r"to_char\((.*), 'YYYY-MM-DD'\)", r"CAST(\1 AS text)", text)
    if dialect == "duckdb":
        yield "the session's time zone", re.sub(r"make_timestamp\(epoch_us\((.*?)\)\)", r"\1", text)
    if "replace(replace" in text or "replaceAll(" in text:
        yield "backslashes not escaped", re.sub(r"(replace(?:All)?)\(\1\((.*?), E?'\\+', E?'\\+'\)", r"\1(\2", text)
        yield "separators not escaped", re.sub(r"(replace(?:All)?)\((\1\(.*?\)), '\|', E?'\\+\|'\)", r"\2", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rowhash", type=Path, required=True, help="the command line under test")
    parser.add_argument("--engines", type=Path, help="the folder of the engines' Python packages")
    parser.add_argument("--hive", type=Path, help="a file with the class path of Hive's functions")
    parser.add_argument("--only", metavar="DIALECT", help="one engine alone")
    options = parser.parse_args()
    if options.engines:
        sys.path.insert(0, str(options.engines))
    failed = False
    for engine_class in (Postgres, DuckDb, ClickHouse, Spark, Hive):
        if options.only and engine_class.dialect != options.only:
            continue
        with tempfile.TemporaryDirectory(prefix="rowhash-sql-") as folder:
            engine = engine_class(folder, options.hive.read_text().strip()) if engine_class is Hive else engine_class(folder)
            try:
                check = Check(engine, options.rowhash.resolve()).run()
            finally:
                getattr(engine, "close", lambda: None)()
        counted = ", ".join(f"{number} {what}" for what, number in check.counts.items())
        print(f"{engine.dialect} {engine.version}: {counted}; {len(check.failures)} failures", flush=True)
        for failure in check.failures:
            failed = True
            print(f"  {failure}", file=sys.stderr)
    sys.exit(failed)


if __name__ == "__main__":
    main()
