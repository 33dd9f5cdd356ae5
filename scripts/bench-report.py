#!/usr/bin/env python3
"""Makes one report of what the benchmarks measured: bench-report.py FOLDER CRITERION

FOLDER holds jmh-<instruction set>.json (JMH), processors.json and memory.json (ProcessorBenchmark),
flow.json (FlowBenchmark) and load-log.json (LoadLogBenchmark), whichever were run; CRITERION is
criterion's folder. Writes report.md, report.json and bench.svg into FOLDER. All figures of a table
are of one run on one machine: only their ratios mean anything elsewhere.
"""

import json
import math
import pathlib
import sys
from xml.sax.saxutils import escape

# What is to be reached, as a ratio to the reference of the same table.
ATTRIBUTE_GOALS = {
    ("ascii", "180"): 1.7, ("ascii", "750"): 2.6, ("ascii", "3900"): 5.5,
    ("korean", "180"): 3.6, ("korean", "750"): 5.4, ("korean", "3900"): 8.5,
}  # fmt: skip
ONE_ROW_GOAL = 0.95
DIGEST_GOALS = {"Avx512": 13.0, "Avx2": 9.0}
CONTENT_GOALS = {"avx512": 11.0, "avx2": 9.0}
FLOW_TODAY = "eight processors, Groovy script"
FLOW_CEILING = "PutKudu alone, hashes in the file"
FLOW_RECORDS, FLOW_UPDATE_RECORD = "ComputeRowHash, Records", "UpdateRecord with hash()"
CEILING_GOAL, TODAY_GOAL, RECORDS_GOAL = 0.9, 100.0, 3.0
FILE_GOAL = 0.6


def processor():
    """The model and the instruction sets that matter, of the first processor."""
    model, sets = "unknown", []
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                model = value.strip()
            elif name.strip() == "flags":
                sets = [flag for flag in value.split() if flag in ("sse2", "avx2", "avx512f", "avx512bw", "avx512vl")]
                break
    except OSError:
        pass
    return model, sets


class Report:
    def __init__(self):
        self.lines, self.data, self.missed = [], [], 0

    def table(self, title, columns):
        self.lines += ["", f"## {title}", "", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]

    def row(self, table, cells, ratio=None, goal=None):
        verdict = []
        if ratio is not None:
            verdict = [f"{ratio:.2f}", "" if goal is None else f"{goal:g}", verdict_of(ratio, goal)]
            self.missed += verdict[2] == "missed"
        self.lines.append("| " + " | ".join([str(cell) for cell in cells] + verdict) + " |")
        self.data.append({"table": table, "row": [str(cell) for cell in cells], "ratio": ratio, "goal": goal})


def verdict_of(ratio, goal):
    if goal is None:
        return ""
    return "reached" if ratio >= goal else "missed"


def criterion_groups(folder):
    """{group: {function: nanoseconds}}"""
    groups = {}
    for file in sorted(folder.glob("**/new/benchmark.json")):
        about = json.loads(file.read_text(encoding="utf-8"))
        estimates = json.loads((file.parent / "estimates.json").read_text(encoding="utf-8"))
        name = about["function_id"] or about["value_str"] or ""
        if about["function_id"] and about["value_str"]:
            name = f"{about['function_id']}, {about['value_str']}"
        groups.setdefault(about["group_id"], {})[name] = estimates["median"]["point_estimate"]
    return groups


def add_criterion(report, folder):
    groups = criterion_groups(folder)
    for group, functions in groups.items():
        # The first that is no product of ours is what the others are compared with.
        reference = next((name for name in ("md-5", "plain", "serde_json") if name in functions), None)
        report.table(group, ["", "microseconds", "times the reference", "goal", ""])
        for name, nanoseconds in sorted(functions.items(), key=lambda function: -function[1]):
            cells = [name, f"{nanoseconds / 1e3:.1f}"]
            if reference is None:
                report.row(group, [*cells, "", "", ""])
            else:
                goal = DIGEST_GOALS.get(name) if "256 rows" in group else None
                report.row(group, cells, functions[reference] / nanoseconds, goal)


def best(runs):
    """What else goes on in a machine makes a benchmark slower and never faster: its best time says most of it."""
    return min(time for run in runs for time in run)


def add_jmh(report, file):
    instructions = file.stem.removeprefix("jmh-")
    scores = {}
    for result in json.loads(file.read_text(encoding="utf-8")):
        benchmark, method = result["benchmark"].rsplit(".", 2)[1:]
        scores.setdefault((benchmark, tuple(sorted(result.get("params", {}).items()))), {})[method] = (
            best(result["primaryMetric"]["rawData"])
        )
    for benchmark, reference, methods_of_it, title in (
        ("AttributesBenchmark", "compiledJava", ("nativeLibrary", "groovyScript"), "Rows from attributes"),
        ("ContentBenchmark", "jacksonStreaming", ("nativeLibrary",), "NDJSON content"),
        ("ContentBenchmark", "readAndWrite", ("fileToFile",), "NDJSON file to file"),
        ("PatternBenchmark", "javaRegex", ("nativeLibrary",), "Lines of a pattern"),
    ):
        title = f"{title}, {instructions}: times {reference}"
        chosen = {params: methods for (name, params), methods in scores.items() if name == benchmark}
        if not chosen:
            continue
        report.table(title, ["rows", "method", "ratio", "goal", ""])
        for params, methods in chosen.items():
            about = dict(params)
            for method, score in methods.items():
                if method not in methods_of_it:
                    continue
                goal = None
                if method == "fileToFile":
                    goal = FILE_GOAL
                elif benchmark == "PatternBenchmark":
                    goal = 1.0
                elif method == "nativeLibrary" and benchmark == "AttributesBenchmark":
                    goal = ATTRIBUTE_GOALS.get((about["alphabet"], about["bytes"]))
                    goal = ONE_ROW_GOAL if about["rows"] == "1" else goal
                elif method == "nativeLibrary":
                    goal = CONTENT_GOALS.get(instructions) if about["alphabet"] == "ascii" else None
                name = ", ".join(f"{key} {value}" for key, value in params)
                report.row(title, [name, method], methods[reference] / score, goal)


def add_flows(report, file):
    flows = json.loads(file.read_text(encoding="utf-8"))
    rates = {flow["flow"]: flow["linesPerSecond"] for flow in flows}
    title = "Flows from a file into Kudu"
    report.table(title, ["flow", "lines", "lines/s", "times today's flow", "goal", "", "of PutKudu alone"])
    ceiling = rates.get(FLOW_CEILING)
    for flow in flows:
        goal = TODAY_GOAL if "Content" in flow["flow"] else None
        ratio = flow["linesPerSecond"] / rates[FLOW_TODAY]
        of_ceiling = f"{flow['linesPerSecond'] / ceiling:.2f}" if ceiling else ""
        cells = [flow["flow"], flow["lines"], f"{flow['linesPerSecond']:.0f}"]
        report.lines.append(
            "| " + " | ".join([*map(str, cells), f"{ratio:.1f}", "" if goal is None else f"{goal:g}",
                               verdict_of(ratio, goal), of_ceiling]) + " |"
        )  # fmt: skip
        report.data.append({"table": title, "row": list(map(str, cells)), "ratio": ratio, "goal": goal,
                            "ofPutKuduAlone": ceiling and flow["linesPerSecond"] / ceiling})  # fmt: skip
    title = "Flows compared"
    report.table(title, ["flow", "compared with", "ratio", "goal", ""])
    for flow in rates:
        if "Content" in flow:
            report.row(title, [flow, FLOW_CEILING], rates[flow] / ceiling, CEILING_GOAL)
    return flows


def add_memory(report, file):
    memory = json.loads(file.read_text(encoding="utf-8"))
    title = "A large file through a NiFi with a small heap"
    report.table(title, ["bytes", "rows", "heap allowed, MB", "heap at its most, MB", "rows/s"])
    report.row(title, [memory["bytes"], memory["rows"], memory["heapLimit"] >> 20, memory["heapPeak"] >> 20,
                       f"{memory['rows'] / memory['seconds']:.0f}"])  # fmt: skip


def add_processors(report, file):
    """The steps between two queues, without Kudu, which takes most of the time of a whole flow."""
    rates = {flow["flow"]: flow["linesPerSecond"] for flow in json.loads(file.read_text(encoding="utf-8"))}
    title = "The processor alone, from a queue to a queue"
    report.table(title, ["processor", "lines/s", "times UpdateRecord", "goal", ""])
    for flow, rate in rates.items():
        goal = RECORDS_GOAL if flow == FLOW_RECORDS else None
        report.row(title, [flow, f"{rate:.0f}"], rate / rates[FLOW_UPDATE_RECORD], goal)


def add_load_log(report, file):
    """A flow with the log is compared with the one of as many lines without it."""
    flows = json.loads(file.read_text(encoding="utf-8"))
    plain = {(flow["flow"], flow["lines"]): flow for flow in flows}
    title = "The load log: flows into Kudu with it and without"
    report.table(title, ["flow", "lines", "seconds", "lines/s", "most heap, MB", "the log's share of the time"])
    for flow in flows:
        without = plain.get((flow["flow"].removesuffix(", with the log"), flow["lines"]))
        share = "" if without in (None, flow) else f"{1 - without['seconds'] / flow['seconds']:.0%}"
        cells = [flow["flow"], flow["lines"], f"{flow['seconds']:.1f}", f"{flow['linesPerSecond']:.0f}",
                 flow["heapMegabytes"], share]  # fmt: skip
        report.row(title, cells)


def plot(flows):
    """Bars on a logarithmic scale: the flows are orders of magnitude apart."""
    bar, gap, left, width = 26, 12, 300, 460
    height = len(flows) * (bar + gap) + 70
    low, high = 2, max(5, len(str(int(max(flow["linesPerSecond"] for flow in flows)))))

    def x(rate):
        return left + width * (math.log10(rate) - low) / (high - low)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 110}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        '<text x="12" y="24" font-size="15" fill="#1a1a1a">Lines a second from a file into Kudu, on a logarithmic scale</text>',
    ]
    for power in range(low, high + 1):
        at = x(10**power)
        out.append(f'<line x1="{at:.0f}" y1="40" x2="{at:.0f}" y2="{height - 24}" stroke="#dddddd"/>')
        out.append(f'<text x="{at:.0f}" y="{height - 8}" text-anchor="middle" fill="#555555">{10**power:,}</text>')
    for index, flow in enumerate(flows):
        top = 44 + index * (bar + gap)
        rate = flow["linesPerSecond"]
        colour = "#0b6e8f" if "ComputeRowHash" in flow["flow"] else "#9aa5ad"
        out.append(f'<text x="{left - 10}" y="{top + 18}" text-anchor="end" fill="#1a1a1a">{escape(flow["flow"])}</text>')
        out.append(f'<rect x="{left}" y="{top}" width="{x(rate) - left:.0f}" height="{bar}" fill="{colour}"/>')
        out.append(f'<text x="{x(rate) + 6:.0f}" y="{top + 18}" fill="#1a1a1a">{rate:,.0f}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main(folder, criterion):
    report = Report()
    model, sets = processor()
    report.lines += ["# Benchmarks", "", f"{model}; {', '.join(sets) or 'no AVX'}."]
    report.lines += ["All figures of one table are of one run: read the ratios, not the times."]
    add_criterion(report, criterion)
    for file in sorted(folder.glob("jmh-*.json")):
        add_jmh(report, file)
    for name, add in (("processors.json", add_processors), ("memory.json", add_memory)):
        if (folder / name).exists():
            add(report, folder / name)
    flow = folder / "flow.json"
    if flow.exists():
        (folder / "bench.svg").write_text(plot(add_flows(report, flow)), encoding="utf-8")
    load_log = folder / "load-log.json"
    if load_log.exists():
        add_load_log(report, load_log)
    text = "\n".join(report.lines) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    document = {"processor": model, "instructionSets": sets, "results": report.data}
    (folder / "report.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
