#!/usr/bin/env python3
"""Writes the flow definitions beside it.

    generate.py            writes them
    generate.py --check    writes nothing; 1 where a file is not what it would write

A flow definition is what NiFi downloads and imports. Names of types and properties are those of
NiFi 1.x, which NiFi 2.x reads too. The identifiers come from the names, so that the same flow is
the same file.
"""

import json
import pathlib
import sys
import textwrap
import uuid

NIFI = "1.18.0"
HERE = pathlib.Path(__file__).resolve().parent
NAMESPACE = uuid.UUID("6f6d1f0e-6f63-4f0e-9d5a-0c6f3c2f9a10")

ROW_HEIGHT = 200
# Of a note's text, on NiFi's page.
LABEL_CHARACTER, LABEL_LINE = 7, 16
FIRST_IN_FIRST_OUT = "org.apache.nifi.prioritizer.FirstInFirstOutPrioritizer"

BUNDLES = {
    "standard": ("org.apache.nifi", "nifi-standard-nar", NIFI),
    "attributes": ("org.apache.nifi", "nifi-update-attribute-nar", NIFI),
    "kudu": ("org.apache.nifi", "nifi-kudu-nar", NIFI),
    "records": ("org.apache.nifi", "nifi-record-serialization-services-nar", NIFI),
    "rowhash": ("dev.rowhash", "nifi-rowhash-nar", "0.1.0"),
    "upsert": ("dev.rowhash", "nifi-rowhash-kudu-nar", "0.1.0"),
}

TYPES = {
    "UpdateAttribute": ("attributes", "org.apache.nifi.processors.attributes"),
    "PutKudu": ("kudu", "org.apache.nifi.processors.kudu"),
    "UpsertKudu": ("upsert", "dev.rowhash.nifi.kudu"),
    "ComputeRowHash": ("rowhash", "dev.rowhash.nifi"),
    "EmitLoadLog": ("rowhash", "dev.rowhash.nifi"),
    "ReplayLoadLog": ("rowhash", "dev.rowhash.nifi"),
    "PutSpringBatchMetadata": ("rowhash", "dev.rowhash.nifi"),
    "JsonTreeReader": ("records", "org.apache.nifi.json"),
    "JsonRecordSetWriter": ("records", "org.apache.nifi.json"),
}
STANDARD = ("standard", "org.apache.nifi.processors.standard")

READER, WRITER = "record-reader", "esqlrecord-record-writer"
POOL = "Database Connection Pooling Service"
# Each service that a property can name; NiFi needs to know it to put the imported one in its place.
SERVICE_PROPERTIES = {READER, WRITER, POOL, "Record Reader"}

COLUMNS = [
    "ts", "epid", "serviceid", "functiontype", "clickid", "response", "userid", "comp", "suborg", "llmurl",
    "llmtype", "input", "output", "func_name", "func_name_en", "analyticsyn", "devicetype",
]  # fmt: skip


def bundle_of(kind):
    group, artifact, version = BUNDLES[kind]
    return {"group": group, "artifact": artifact, "version": version}


def type_of(name):
    kind, package = TYPES.get(name, STANDARD)
    return {"type": f"{package}.{name}", "bundle": bundle_of(kind)}


class Flow:
    """A process group under construction.

    `upserts`: it ends in UpsertKudu, which NiFi 2 can have too, in place of PutKudu.
    """

    def __init__(self, name, comment, upserts):
        self.upserts = upserts
        self.name = f"{name}-upsert" if upserts else name
        self.id = self.identifier("group")
        self.group = {
            "identifier": self.id,
            "name": self.name,
            "comments": comment,
            "position": {"x": 0.0, "y": 0.0},
            "processGroups": [],
            "remoteProcessGroups": [],
            "processors": [],
            "inputPorts": [],
            "outputPorts": [],
            "connections": [],
            "labels": [],
            "funnels": [],
            "controllerServices": [],
            "variables": {},
            "parameterContextName": self.name,
            "defaultFlowFileExpiration": "0 sec",
            "defaultBackPressureObjectThreshold": 10000,
            "defaultBackPressureDataSizeThreshold": "1 GB",
            "flowFileConcurrency": "UNBOUNDED",
            "flowFileOutboundPolicy": "STREAM_WHEN_AVAILABLE",
            "componentType": "PROCESS_GROUP",
        }
        self.parameters = []

    def identifier(self, *names):
        return str(uuid.uuid5(NAMESPACE, "/".join((self.name, *names))))

    def parameter(self, name, value, description):
        self.parameters.append(
            {"name": name, "description": description, "sensitive": False, "value": value}
        )

    def service(self, name, type_name, properties):
        self.group["controllerServices"].append(
            {
                "identifier": self.identifier("service", name),
                "name": name,
                **type_of(type_name),
                "properties": properties,
                "propertyDescriptors": self.descriptors(properties),
                "controllerServiceApis": [],
                "comments": "",
                "bulletinLevel": "WARN",
                "componentType": "CONTROLLER_SERVICE",
                "groupIdentifier": self.id,
            }
        )
        return self.identifier("service", name)

    def processor(self, name, type_name, properties, at, ends=(), every="0 sec", comment="", **settings):
        """`ends`: relationships where FlowFiles end. `at`: column and row on the page."""
        processor = {
            "identifier": self.identifier("processor", name),
            "name": name,
            "comments": comment,
            "position": position(at),
            **type_of(type_name),
            "properties": properties,
            "propertyDescriptors": self.descriptors(properties),
            "style": {},
            "schedulingPeriod": every,
            "schedulingStrategy": "TIMER_DRIVEN",
            "executionNode": "ALL",
            "penaltyDuration": "30 sec",
            "yieldDuration": "1 sec",
            "bulletinLevel": "WARN",
            "runDurationMillis": 0,
            "concurrentlySchedulableTaskCount": 1,
            "autoTerminatedRelationships": list(ends),
            "scheduledState": "ENABLED",
            "retryCount": 10,
            "retriedRelationships": [],
            "backoffMechanism": "PENALIZE_FLOWFILE",
            "maxBackoffPeriod": "10 mins",
            "componentType": "PROCESSOR",
            "groupIdentifier": self.id,
        }
        self.group["processors"].append({**processor, **settings})
        return {"id": processor["identifier"], "type": "PROCESSOR", "groupId": self.id, "name": name, "comments": ""}

    @staticmethod
    def descriptors(properties):
        return {
            name: {
                "name": name,
                "displayName": name,
                "identifiesControllerService": name in SERVICE_PROPERTIES,
                "sensitive": False,
            }
            for name in properties
        }

    def input_port(self, name, at):
        identifier = self.identifier("port", name)
        self.group["inputPorts"].append(
            {
                "identifier": identifier,
                "name": name,
                "position": position(at),
                "type": "INPUT_PORT",
                "concurrentlySchedulableTaskCount": 1,
                "scheduledState": "ENABLED",
                "allowRemoteAccess": False,
                "portFunction": "STANDARD",
                "componentType": "INPUT_PORT",
                "groupIdentifier": self.id,
            }
        )
        return {"id": identifier, "type": "INPUT_PORT", "groupId": self.id, "name": name, "comments": ""}

    def funnel(self, name, at):
        identifier = self.identifier("funnel", name)
        self.group["funnels"].append(
            {
                "identifier": identifier,
                "position": position(at),
                "componentType": "FUNNEL",
                "groupIdentifier": self.id,
            }
        )
        return {"id": identifier, "type": "FUNNEL", "groupId": self.id, "name": "Funnel", "comments": ""}

    def connect(self, source, relationships, destination, name="", prioritizers=()):
        if isinstance(relationships, str):
            relationships = [relationships]
        self.group["connections"].append(
            {
                "identifier": self.identifier("connection", source["id"], *relationships, destination["id"]),
                "name": name,
                "source": source,
                "destination": destination,
                "selectedRelationships": relationships,
                "labelIndex": 1,
                "zIndex": 0,
                "bends": [],
                "backPressureObjectThreshold": 10000,
                "backPressureDataSizeThreshold": "1 GB",
                "flowFileExpiration": "0 sec",
                "prioritizers": list(prioritizers),
                "loadBalanceStrategy": "DO_NOT_LOAD_BALANCE",
                "partitioningAttribute": "",
                "loadBalanceCompression": "DO_NOT_COMPRESS",
                "componentType": "CONNECTION",
                "groupIdentifier": self.id,
            }
        )

    def label(self, name, text, at, width=420):
        """A note; `at` is the place of its lower left corner, since it stands above what it is about."""
        # NiFi keeps the lines of a note as they are.
        lines = [
            line
            for paragraph in text.split("\n")
            for line in textwrap.wrap(paragraph, width // LABEL_CHARACTER, break_long_words=False, break_on_hyphens=False) or [""]
        ]
        height = LABEL_LINE * len(lines) + 2 * LABEL_CHARACTER
        corner = position(at)
        self.group["labels"].append(
            {
                "identifier": self.identifier("label", name),
                "label": "\n".join(lines),
                "position": {"x": corner["x"], "y": corner["y"] - height},
                "width": float(width),
                "height": float(height),
                "zIndex": 0,
                "style": {"font-size": "12px", "background-color": "#fff7d7"},
                "componentType": "LABEL",
                "groupIdentifier": self.id,
            }
        )

    def file(self):
        """The file's name and text."""
        definition = {
            "flowContents": self.group,
            "externalControllerServices": {},
            "parameterContexts": {
                self.name: {
                    "name": self.name,
                    "parameters": self.parameters,
                    "inheritedParameterContexts": [],
                    "componentType": "PARAMETER_CONTEXT",
                }
            },
            "flowEncodingVersion": "1.0",
        }
        text = json.dumps(definition, indent=2, ensure_ascii=False, sort_keys=True)
        return f"{self.name}.json", text + "\n"


def position(at):
    column, row = at
    return {"x": column * 640.0, "y": row * float(ROW_HEIGHT)}


def failed(flow, name, processor, at, message=None):
    """An UpdateAttribute that says who failed; without a message the log points to the bulletin."""
    properties = {"error_processor": processor}
    if message:
        properties["error_message"] = message
    return flow.processor(name, "UpdateAttribute", properties, at)


def kudu(flow, name, table, reader, at, ends=(), **properties):
    """A sink. `properties` are PutKudu's: UpsertKudu does what is needed by its defaults."""
    where = {"Kudu Masters": "#{kudu.masters}", "Table Name": table}
    if not flow.upserts:
        settings = {**where, READER: reader, "Insert Operation": "UPSERT", **properties}
        return flow.processor(name, "PutKudu", settings, at, ends)
    sink = flow.processor(name, "UpsertKudu", {**where, "Record Reader": reader}, at, ends)
    flow.connect(sink, "retry", sink, "retry")
    return sink


def row_sink(flow, reader, row, beside):
    """The sink of the rows, and what leads from its failures to the log: a processor and its relationship."""
    if flow.upserts:
        sink = kudu(flow, "Load into the table", "#{kudu.table}", reader, (0, row))
        return sink, (sink, "failure")  # it names itself and the reason
    sink = kudu(
        flow, "Load into the table", "#{kudu.table}", reader, (0, row), **{"FlowFiles per Batch": "#{kudu.flowfiles.per.batch}"}
    )
    # PutKudu names no reason in any attribute: the log says so and points to its bulletin.
    unloaded = failed(flow, "The row was not loaded", "PutKudu", (beside, row))
    flow.connect(sink, "failure", unloaded)
    return sink, (unloaded, "success")


def load_log(flow, reader, column, row, **properties):
    """EmitLoadLog and the sink of its two tables; gives it and where further detail records go in."""
    log = flow.processor(
        "Load log",
        "EmitLoadLog",
        {
            "Settle Time": "#{settle.time}",
            "Batch Timeout": "#{batch.timeout}",
            "Closed Batch Retention": "#{closed.batch.retention}",
            **properties,
        },
        (column, row),
        ["success"],
    )
    # Rolled back and tried again for as long as it takes, in order: no record of the log is lost, and none is
    # overwritten by an older one.
    ends = ["success"] if flow.upserts else ["success", "failure"]
    settings = {"Failure Strategy": "rollback", "Flush Mode": "MANUAL_FLUSH", "Batch Size": "1000"}
    master = kudu(flow, "Write load_log_master", "#{kudu.load_log_master}", reader, (column, row + 2), ends, **settings)
    detail = kudu(flow, "Write load_log_detail", "#{kudu.load_log_detail}", reader, (column + 1, row + 2), ends, **settings)
    details = flow.funnel("details", (column + 1.25, row + 1))
    flow.connect(log, "master", master, "master records", [FIRST_IN_FIRST_OUT])
    flow.connect(log, "detail", details, "detail records", [FIRST_IN_FIRST_OUT])
    flow.connect(details, [], detail, "records for load_log_detail", [FIRST_IN_FIRST_OUT])
    unlogged = flow.funnel("not logged", (column + 1.25, row))
    flow.connect(log, "failure", unlogged, "not logged")
    if flow.upserts:
        for sink in (master, detail):
            flow.connect(sink, "failure", unlogged, "not logged")
    flow.label(
        "log",
        "THE LOAD LOG\n\nEvery path ends in this one EmitLoadLog: a split's original, which says how many items there are,"
        " loaded rows, and each failure. Its records go into the two tables. Both sinks roll back and try again while Kudu"
        " is away.\n\nWhat it cannot log waits in 'not logged'; the attribute load.refused says why"
        + (", and error_message for a record of the log that a sink refused." if flow.upserts else "."),
        (column, row - 0.1),
        560,
    )
    return log, details


def replay(flow, query_text, column, row, goes_to):
    """From the re-run query, or from files with its result, to items."""
    reader = flow.service("Re-run records", "JsonTreeReader", {})
    writer = flow.service("Re-run result", "JsonRecordSetWriter", {"output-grouping": "output-oneline"})
    query = flow.processor(
        "Query what failed",
        "ExecuteSQLRecord",
        # A result is an item each, and a FlowFile of it one session of ReplayLoadLog.
        {POOL: None, "SQL select query": query_text, WRITER: writer, "esql-max-rows": "10000"},
        (column, row),
        every="10 min",
        executionNode="PRIMARY",
        comment="Invalid until its Database Connection Pooling Service is chosen: a DBCPConnectionPool to Trino, with catalog"
        " and schema in its URL. For Impala see the README.",
    )
    files = flow.processor(
        "Take records from files",
        "GetFile",
        {"Input Directory": "#{replay.directory}", "Keep Source File": "false"},
        (column + 1, row),
        every="1 sec",
    )
    again = flow.processor(
        "Run failures again",
        "ReplayLoadLog",
        {"Record Reader": reader, "Maximum Retries": "#{maximum.retries}"},
        (column + 0.5, row + 1.5),
        ["original"],
    )
    flow.connect(query, "success", again, "re-run records")
    flow.connect(query, "failure", flow.funnel("query failed", (column - 0.4, row + 0.2)), "query failed")
    flow.connect(files, "success", again, "re-run records from a file")
    flow.connect(again, "exhausted", flow.funnel("exhausted", (column - 0.4, row + 2)), "exhausted")
    flow.connect(again, "failure", flow.funnel("no replay", (column - 0.4, row + 2.5)), "cannot be replayed")
    flow.label(
        "replay",
        "REPLAY: ONLY THE FAILURES, AGAIN\n\nThe re-run query reads load_log_detail: the failures with a retry left. Choose a"
        " DBCPConnectionPool for it, or put its result as a file of JSON records into the directory replay.directory.\n\n"
        f"{goes_to} 'claim' marks the items as picked. An item without a retry left is not picked any more: only a file in"
        " replay.directory can bring one, and it waits in 'exhausted'.",
        (column, row - 0.15),
        560,
    )
    return again


def log_parameters(flow):
    flow.parameter("region", "R01", "regn of the load log: the region or system of the source")
    flow.parameter("db.name", "bronze", "db_name of the load log: the database of the target table")
    flow.parameter("kudu.masters", "kudu-master-1:7051", "Kudu's masters, host:port, separated by commas")
    flow.parameter(
        "kudu.load_log_master", "bronze.load_log_master", "Kudu's name of load_log_master; of Impala: impala::bronze.load_log_master"
    )
    flow.parameter("kudu.load_log_detail", "bronze.load_log_detail", "Kudu's name of load_log_detail")
    flow.parameter("settle.time", "5 sec", "How long nothing new may come before a batch is final")
    flow.parameter("batch.timeout", "1 day", "After so long a silence what is missing of a batch has failed; so long a batch waits for what comes late")
    flow.parameter("closed.batch.retention", "10 min", "How long after its end a batch is the same one for whatever comes")
    flow.parameter("maximum.retries", "3", "How often an item is run again")
    flow.parameter("replay.directory", "/var/lib/nifi/replay", "Where files with records of the re-run query are put, and taken from")


def rerun_query(src_type):
    """The third query of docs/sql/load_log/queries.trino.sql, for one table."""
    script = (HERE.parent.parent / "docs/sql/load_log/queries.trino.sql").read_text(encoding="utf-8")
    statement = [part for part in script.split(";\n") if part.strip()][-1].strip()
    lines = [line for line in statement.splitlines() if not line.strip().startswith("--")]
    query = "\n".join(lines).rstrip(";")
    for name, value in (
        ("src_type", src_type), ("regn", "#{region}"), ("db_name", "#{db.name}"), ("table_name", "#{table.name}")
    ):  # fmt: skip
        query = query.replace("${" + name + "}", value)
    return query.replace("retry_count, 0) < 3", "retry_count, 0) < #{maximum.retries}")


def spring_batch_history(flow, log, reader, column, row):
    """The batches of the load log in Spring Batch's metadata tables too."""
    flow.parameter("spring.batch.version", "5", "The major version of the Spring Batch that reads its tables: 5 or 6")
    flow.parameter("spring.batch.table.prefix", "BATCH_", "What the names of Spring Batch's tables begin with, the schema before it")
    flow.parameter("spring.batch.time.zone", "UTC", "The time zone of the Spring Batch that reads its tables, such as Asia/Seoul")
    history = flow.processor(
        "Write Spring Batch's history",
        "PutSpringBatchMetadata",
        {
            "Record Reader": reader,
            POOL: None,
            "Spring Batch Version": "#{spring.batch.version}",
            "Table Prefix": "#{spring.batch.table.prefix}",
            "Time Zone": "#{spring.batch.time.zone}",
        },
        (column, row),
        ["success"],
        comment="Invalid until its Database Connection Pooling Service is chosen: a DBCPConnectionPool to the database that"
        " holds Spring Batch's tables.",
    )
    flow.connect(log, "master", history, "master records for Spring Batch", [FIRST_IN_FIRST_OUT])
    flow.connect(history, "failure", flow.funnel("not in Spring Batch", (column + 0.9, row + 0.2)), "not in Spring Batch")
    flow.label(
        "spring batch",
        "SPRING BATCH\n\nEach batch is a job instance there too, and each attempt at it an execution. A batch that is loaded is"
        " refused by Spring Batch's launcher, one with failures may run again.\n\nThe tables are made by the script of"
        " spring-batch-core. What they refuse waits in 'not in Spring Batch'; the attribute error_message says why.",
        (column - 0.85, row + 0.8),
        480,
    )


def nas_to_kudu_spring_batch(upserts):
    return nas_to_kudu(upserts, with_spring_batch=True)


def nas_to_kudu(upserts, with_spring_batch=False):
    comment = "Log files to Kudu, one row a line, with row_hash as the last key column, the load log and its replay."
    if with_spring_batch:
        comment += " The history of the loads in Spring Batch's metadata tables too."
    flow = Flow("nas-to-kudu-spring-batch" if with_spring_batch else "nas-to-kudu", comment, upserts)
    log_parameters(flow)
    table_parameters(flow, "nas_copilot_call")
    flow.parameter("input.directory", "/data/nas/copilot_call", "The directory of the log files")
    flow.parameter("input.minimum.age", "5 sec", "How old a file must be, so that none is read while it is written")
    flow.parameter("header.lines", "0", "How many lines at the head of each file are no rows")
    flow.parameter(
        "line.pattern",
        "^" + "\\t".join(["([^\\t]*)"] * len(COLUMNS)) + "$",
        "What a line looks like: one group a column",
    )
    reader = flow.service("Rows and records", "JsonTreeReader", {})

    listed = flow.processor(
        "List log files",
        "ListFile",
        # Remote: its state is the cluster's, or another primary node would list all files again.
        {"Input Directory": "#{input.directory}", "Input Directory Location": "Remote", "Minimum File Age": "#{input.minimum.age}"},
        (0, 0),
        every="1 sec",
        executionNode="PRIMARY",
    )
    # Before anything can fail, and before the split: all lines of a file are of one batch, and they stay the same lines
    # when the file is split again.
    batch = flow.processor(
        "Name the batch",
        "UpdateAttribute",
        {
            "src_type": "NAS",
            "regn": "#{region}",
            "db_name": "#{db.name}",
            "table_name": "#{table.name}",
            "base_dts": "${base_dts:replaceEmpty(${now():format('yyyyMMddHHmmss')})}",
            "load.unit": "${load.unit:replaceEmpty(${absolute.path:replaceAll('/+$',''):append('/'):append(${filename})})}",
        },
        (0, 1),
    )
    # What it does not find goes to the log, which need not wait.
    fetch = flow.processor("Fetch the file", "FetchFile", {}, (0, 2), penaltyDuration="1 sec")
    empty = flow.processor(
        "Is it empty?",
        "RouteOnAttribute",
        {"empty": "${fileSize:equals(0):and(${load.item:isEmpty()})}"},
        (0, 3),
    )
    split = flow.processor("Split into lines", "SplitText", {"Line Split Count": "1"}, (0, 4))
    rows = "${fragment.count:gt(#{header.lines}):ifElse(${fragment.count:minus(#{header.lines})},0)}"
    number = flow.processor(
        "Number the rows",
        "UpdateAttribute",
        {"fragment.index": "${fragment.index:minus(#{header.lines})}", "fragment.count": rows},
        (-0.75, 4.75),
    )
    wanted = flow.processor(
        "Is the line wanted?",
        "RouteOnAttribute",
        {
            "header": "${fragment.index:lt(1)}",
            "another line": "${load.item:isEmpty():not():and(${load.item:equals(${fragment.index}):not()})}",
        },
        (0, 5),
        ["header", "another line"],
    )
    parse = flow.processor(
        "Parse the line",
        "ExtractText",
        {
            "f": "#{line.pattern}",
            "Include Capture Group 0": "false",
            # A value that is longer than a cell must fail in the sink; the defaults would cut it without a word.
            "Maximum Capture Group Length": "4194304",
            "Maximum Buffer Size": "4 MB",
        },
        (0, 6),
    )
    columns = flow.processor(
        "Name the columns",
        "UpdateAttribute",
        {column: "${f.%d}" % (index + 1) for index, column in enumerate(COLUMNS)},
        (0, 7),
    )
    row_hash = flow.processor("Compute row_hash", "ComputeRowHash", {"Columns": ",".join(COLUMNS)}, (0, 8))
    json_row = flow.processor(
        "Make the JSON row",
        "AttributesToJSON",
        {"Attributes List": ",".join([*COLUMNS, "row_hash"]), "Destination": "flowfile-content"},
        (0, 9),
    )
    sink, unloaded = row_sink(flow, reader, 10, 1.2)

    for source, relationship, destination in (
        (listed, "success", batch),
        (batch, "success", fetch),
        (fetch, "success", empty),
        (empty, "unmatched", split),
        (split, "splits", number),
        (number, "success", wanted),
        (wanted, "unmatched", parse),
        (parse, "matched", columns),
        (columns, "success", row_hash),
        (row_hash, "success", json_row),
        (json_row, "success", sink),
    ):
        flow.connect(source, relationship, destination)

    log, details = load_log(flow, reader, 2.6, 6)
    if with_spring_batch:
        spring_batch_history(flow, log, reader, 1.7, 11)
    gone = failed(
        flow, "The file is gone", "FetchFile", (1.2, 1.4), "${filename} is not there: put it back into ${absolute.path} and replay"
    )
    forbidden = failed(
        flow,
        "The file may not be read",
        "FetchFile",
        (1.2, 2.1),
        "${filename} in ${absolute.path} may not be read by NiFi: correct its owner or mode and replay",
    )
    unread = failed(flow, "The file was not read", "FetchFile", (1.2, 2.8))
    nothing = flow.processor(
        "An empty file", "UpdateAttribute", {"load.outcome": "declared", "fragment.count": "0"}, (1.2, 3.5)
    )
    original = flow.processor(
        "Is its line there?",
        "RouteOnAttribute",
        {"line is gone": "${load.item:isEmpty():not():and(${load.item:gt(%s)})}" % rows},
        (1.2, 4.2),
    )
    declared = flow.processor("The file was split", "UpdateAttribute", {"load.outcome": "declared", "fragment.count": rows}, (1.9, 4.2))
    line_gone = failed(
        flow,
        "The line is gone",
        "SplitText",
        (1.9, 4.9),
        "${filename} in ${absolute.path} has %s lines now: line ${load.item} is not there any more" % rows,
    )
    unsplit = failed(flow, "The file was not split", "SplitText", (1.2, 4.9))
    unmatched = failed(
        flow, "The line does not match", "ExtractText", (1.2, 6), "The line does not match the pattern line.pattern"
    )
    no_json = failed(flow, "No JSON row", "AttributesToJSON", (1.2, 8.6))
    for source, relationship, destination in (
        (fetch, "not.found", gone),
        (fetch, "permission.denied", forbidden),
        (fetch, "failure", unread),
        (empty, "empty", nothing),
        (split, "original", original),
        (original, "unmatched", declared),
        (original, "line is gone", line_gone),
        (split, "failure", unsplit),
        (parse, "unmatched", unmatched),
        (json_row, "failure", no_json),
        (gone, "success", log),
        (forbidden, "success", log),
        (unread, "success", log),
        (nothing, "success", log),
        (declared, "success", log),
        (line_gone, "success", log),
        (unsplit, "success", log),
        (unmatched, "success", log),
        (row_hash, "failure", log),  # it names itself and the reason
        (no_json, "success", log),
        (*unloaded, log),
        (sink, "success", log),
    ):
        flow.connect(source, relationship, destination)

    goes_to = (
        "Each item goes to where it failed: a line to the parser, a row to the sink, a file (or a line that was too long to be"
        " kept) to FetchFile."
    )
    again = replay(flow, rerun_query("NAS"), -2.4, 2, goes_to)
    flow.connect(again, "claim", details, "claims", [FIRST_IN_FIRST_OUT])
    flow.connect(again, "file", fetch, "read the file again")
    flow.connect(again, "line", parse, "parse the line again")
    flow.connect(again, "row", sink, "load the row again")
    flow.connect(
        again, ["message", "record"], flow.funnel("not of files", (-2.8, 5)), "not of files"
    )

    flow.label(
        "start",
        f"LOG FILES TO KUDU\n\n1. Set the values in the parameter context {flow.name}.\n2. Enable the controller services.\n"
        "3. Start the group.\n\nOne row a line; row_hash, the last key column, makes a load repeatable: the same line again"
        " overwrites the same row.",
        (0, -0.15),
        420,
    )
    flow.label(
        "split",
        "One SplitText: fragment.index is the line's number in the log (detail_seq). With a second one it would begin anew in"
        " each chunk. Blank lines are not counted, nor those at the head that are no rows (header.lines).\n\nA file that is read again for one line (load.item) lets only that line pass.",
        (-0.75, 4.65),
        400,
    )
    flow.label(
        "failures",
        "EACH FAILURE HAS A NAME\n\nerror_processor says who failed, error_message why. Where there is no error_message the log"
        " points to the processor's bulletin.",
        (1.2, 1.25),
        400,
    )
    return flow.file()


def table_parameters(flow, table):
    flow.parameter("table.name", table, "table_name of the load log: the target table")
    flow.parameter("kudu.table", f"bronze.{table}", f"Kudu's name of the target table; of Impala: impala::bronze.{table}")
    if not flow.upserts:
        flow.parameter(
            "kudu.flowfiles.per.batch",
            "1",
            "How many rows PutKudu takes at once. More is faster; but while Kudu is away PutKudu waits 30 seconds for each",
        )


def json_rows(flow, reader, row):
    """JSON objects, one a FlowFile, into the table: first step, sink, and the failures by who refused them."""
    columns = flow.processor(
        "Name the columns",
        "EvaluateJsonPath",
        {
            "Destination": "flowfile-attribute",
            "Return Type": "auto-detect",
            "Path Not Found Behavior": "ignore",
            "Null Value Representation": "empty string",
            **{column: f"$.{column}" for column in COLUMNS},
        },
        (0, row),
    )
    row_hash = flow.processor("Compute row_hash", "ComputeRowHash", {"Columns": ",".join(COLUMNS)}, (0, row + 1))
    json_row = flow.processor(
        "Make the JSON row",
        "AttributesToJSON",
        {"Attributes List": ",".join([*COLUMNS, "row_hash"]), "Destination": "flowfile-content"},
        (0, row + 2),
    )
    sink, unloaded = row_sink(flow, reader, row + 3, 1)
    flow.connect(columns, "matched", row_hash)
    flow.connect(row_hash, "success", json_row)
    flow.connect(json_row, "success", sink)
    log, details = load_log(flow, reader, 2, row + 1)
    unread = failed(flow, "The row was not read", "EvaluateJsonPath", (1, row), "The content is no JSON object")
    no_json = failed(flow, "No JSON row", "AttributesToJSON", (1, row + 2))
    flow.connect(columns, ["failure", "unmatched"], unread)
    flow.connect(json_row, "failure", no_json)
    flow.connect(row_hash, "failure", log)
    flow.connect(sink, "success", log)
    flow.connect(*unloaded, log)
    for source in (unread, no_json):
        flow.connect(source, "success", log)
    return columns, log, details


def kafka_to_kudu(upserts):
    flow = Flow(
        "kafka-to-kudu",
        "Messages of Kafka, one JSON object each, to Kudu with row_hash as the last key column, the load log and its replay.",
        upserts,
    )
    log_parameters(flow)
    table_parameters(flow, "nas_copilot_call")
    flow.parameter("kafka.category", "copilot", "kafka_category of the load log")
    flow.parameter("kafka.service", "call", "kafka_svc of the load log")
    reader = flow.service("Rows and records", "JsonTreeReader", {})
    messages = flow.input_port("messages", (0, 0))
    # A batch a minute. The partition is the unit and the offset the item, so that a message that comes twice counts once.
    batch = flow.processor(
        "Name the batch",
        "UpdateAttribute",
        {
            "src_type": "KAFKA",
            "regn": "#{region}",
            "db_name": "#{db.name}",
            "table_name": "#{table.name}",
            "base_dts": "${base_dts:replaceEmpty(${now():format('yyyyMMddHHmm'):append('00')})}",
            "kafka_category": "#{kafka.category}",
            "kafka_svc": "#{kafka.service}",
        },
        (0, 1),
    )
    columns, _, details = json_rows(flow, reader, 2)
    flow.connect(messages, [], batch)
    flow.connect(batch, "success", columns)
    goes_to = "A message goes to 'Name the columns' again, one that was too long to be kept to 'consume again'."
    again = replay(flow, rerun_query("KAFKA"), -2.4, 2, goes_to)
    flow.connect(again, "claim", details, "claims", [FIRST_IN_FIRST_OUT])
    flow.connect(again, ["row", "line"], columns, "load the message again")
    flow.connect(again, "message", flow.funnel("consume again", (-2.8, 5)), "consume again")
    flow.connect(again, ["file", "record"], flow.funnel("not of Kafka", (-2.8, 5.5)), "not of Kafka")
    flow.label(
        "start",
        f"KAFKA TO KUDU\n\n1. Set the values in the parameter context {flow.name}.\n2. Connect a ConsumeKafka, one message a"
        " FlowFile, to the port 'messages'.\n3. Enable the controller services and start the group.\n\nA message that was too"
        " long to be kept (64 KB) waits in 'consume again' with kafka.topic, kafka.partition and kafka.offset.",
        (0, -0.15),
        480,
    )
    return flow.file()


def database_to_kudu(upserts):
    flow = Flow(
        "database-to-kudu",
        "The result of a query to Kudu, with row_hash as the last key column, the load log and its replay.",
        upserts,
    )
    log_parameters(flow)
    table_parameters(flow, "nas_copilot_call")
    flow.parameter("record.key", "epid", "The column that finds a row in the source again")
    reader = flow.service("Rows and records", "JsonTreeReader", {})
    writer = flow.service("Result of the source", "JsonRecordSetWriter", {})
    start = flow.processor("Begin a load", "GenerateFlowFile", {}, (0, 0), every="1 day", executionNode="PRIMARY")
    # Before the query, so that its failure has a batch too.
    batch = flow.processor(
        "Name the batch",
        "UpdateAttribute",
        {
            "src_type": "DB",
            "regn": "#{region}",
            "db_name": "#{db.name}",
            "table_name": "#{table.name}",
            "base_dts": "${base_dts:replaceEmpty(${now():format('yyyyMMddHHmmss')})}",
        },
        (0, 1),
    )
    source = "SELECT " + ", ".join(COLUMNS) + " FROM copilot_call"
    comment = "Invalid until its Database Connection Pooling Service is chosen."
    query = flow.processor(
        "Query the source", "ExecuteSQLRecord", {POOL: None, "SQL select query": source, WRITER: writer}, (0, 2), comment=comment
    )
    split = flow.processor("Split into rows", "SplitJson", {"JsonPath Expression": "$[*]"}, (0, 3))
    # What remains on each row of the result's own count would be taken for the row's.
    one = flow.processor("One row each", "UpdateAttribute", {"Delete Attributes Expression": r"record\.count"}, (-0.9, 3.5))
    key = flow.processor(
        "Name the record",
        "EvaluateJsonPath",
        {"Destination": "flowfile-attribute", "Path Not Found Behavior": "ignore", "record_key": "$.#{record.key}"},
        (0, 4),
    )
    columns, log, details = json_rows(flow, reader, 5)
    declared = flow.processor("The result was split", "UpdateAttribute", {"load.outcome": "declared"}, (1, 3))
    unread = failed(flow, "The source was not read", "ExecuteSQLRecord", (1, 2), "${executesql.error.message}")
    unsplit = failed(flow, "The result was not split", "SplitJson", (1, 3.6))
    for source_step, relationships, next_step in (
        (start, "success", batch),
        (batch, "success", query),
        (query, "success", split),
        (query, "failure", unread),
        (split, "split", one),
        (one, "success", key),
        (split, "original", declared),
        (split, "failure", unsplit),
        (key, ["matched", "unmatched", "failure"], columns),
        (unread, "success", log),
        (declared, "success", log),
        (unsplit, "success", log),
    ):
        flow.connect(source_step, relationships, next_step)
    goes_to = "A row goes to 'Name the columns' again, one that was too long to be kept to 'Query the record'."
    again = replay(flow, rerun_query("DB"), -2.4, 2, goes_to)
    record = flow.processor(
        "Query the record",
        "ExecuteSQLRecord",
        {POOL: None, "SQL select query": source + " WHERE #{record.key} = '${record_key:replace(\"'\", \"''\")}'", WRITER: writer},
        (-0.9, 4.5),
        comment=comment,
    )
    flow.connect(again, "claim", details, "claims", [FIRST_IN_FIRST_OUT])
    flow.connect(again, ["row", "line"], columns, "load the row again")
    flow.connect(again, "record", record, "query the row again")
    flow.connect(record, "success", split)
    flow.connect(record, "failure", unread)
    flow.connect(again, ["file", "message"], flow.funnel("not of a database", (-2.8, 5)), "not of a database")
    flow.label(
        "start",
        f"DATABASE TO KUDU\n\n1. Set the values in the parameter context {flow.name}.\n2. Give 'Query the source' and"
        " 'Query the record' a DBCPConnectionPool and their SQL.\n3. Enable the controller services and start the group.\n\n"
        "A row that was too long to be kept (64 KB) is queried again by the column record.key.",
        (0, -0.15),
        480,
    )
    return flow.file()


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    makers = (nas_to_kudu, nas_to_kudu_spring_batch, kafka_to_kudu, database_to_kudu)
    files = dict(make(upserts) for upserts in (False, True) for make in makers)
    wrong = []
    for name, text in files.items():
        path = HERE / name
        if not arguments:
            path.write_bytes(text.encode("utf-8"))
        elif not path.exists() or path.read_bytes() != text.encode("utf-8"):
            wrong.append(f"{name}: differs from what generate.py writes; run generate.py and look at the difference")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
