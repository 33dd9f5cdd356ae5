#!/usr/bin/env python3
"""Golden data for the row hash, computed from the written rules alone.

    generate.py            writes pitfalls.json, escaped.json and typed_values.json
    generate.py --check    compares them with what it would write; 1 on a difference

Both also recompute every case of row_hash.json, which this program never writes.
It shares no code with the product, so that a mistake there cannot repeat itself here.
"""

import hashlib
import json
import sys
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent

CALL = ("analyticsyn clickid comp devicetype epid func_name func_name_en functiontype input "
        "llmtype llmurl output response serviceid suborg ts userid").split()


# The canonical row


def join_pairs(text):
    """Python keeps "\\ud83d\\ude00" as two surrogates; everyone else sees one emoji."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def is_surrogate(character):
    return 0xD800 <= ord(character) <= 0xDFFF


def well_formed(text):
    return "".join("?" if is_surrogate(c) else c for c in join_pairs(text))


def canonical(columns, row, form):
    if len(set(columns)) != len(columns):
        raise ValueError(f"a column twice: {columns}")
    values = []
    for column in sorted(columns, key=lambda name: name.encode("utf-8")):
        value = row.get(column)
        if value is None or value == "":
            values.append("\\N")
        elif form == "escaped":
            values.append(value.replace("\\", "\\\\").replace("|", "\\|"))
        else:
            values.append(value)
    return "|".join(well_formed(value) for value in values)


def md5(text):
    return hashlib.md5(text.encode("utf-8")).hexdigest()


def stored(value):
    """A lone surrogate does not survive every JSON reader: such a value is a list of UTF-16 units."""
    if value is None or not any(is_surrogate(c) for c in join_pairs(value)):
        return value if value is None else join_pairs(value)
    octets = value.encode("utf-16-le", "surrogatepass")
    return {"utf16": [octets[i] | octets[i + 1] << 8 for i in range(0, len(octets), 2)]}


def loaded(value):
    if isinstance(value, dict):
        return b"".join(u.to_bytes(2, "little") for u in value["utf16"]).decode("utf-16-le", "surrogatepass")
    return value


class Cases:
    def __init__(self, form, rule):
        self.form, self.rule, self.cases = form, rule, []

    def add(self, name, row, note=None, columns=None):
        columns = list(row) if columns is None else columns
        text = canonical(columns, row, self.form)
        case = {"name": name, "columns": columns, "row": {k: stored(v) for k, v in row.items()},
                "canonical": text, "row_hash": md5(text)}
        if note:
            case["note"] = note
        self.cases.append(case)

    def document(self):
        names = [case["name"] for case in self.cases]
        if len(set(names)) != len(names):
            raise ValueError(f"a case name twice: {sorted(n for n in names if names.count(n) > 1)}")
        return {"form": self.form, "rule": self.rule, "cases": self.cases}


def pitfalls():
    c = Cases("compatible", "as row_hash.json; a value {\"utf16\": [...]} is a list of UTF-16 code units; "
                            "an unpaired surrogate becomes ?")

    # What counts as empty
    c.add("null_empty_absent", {"a": None, "b": "", "d": "x"}, "all three are \\N", ["a", "b", "c", "d"])
    c.add("two_blanks", {"a": "  "})
    c.add("all_blank", {"a": " ", "b": "  ", "c": "\t"}, "blanks are values: nothing is trimmed")
    c.add("all_empty", {"a": "", "b": "", "c": ""})
    c.add("only_tab", {"a": "\t"})
    c.add("only_newline", {"a": "\n"}, "a line feed, not the text \\N")
    c.add("only_crlf", {"a": "\r\n"})
    c.add("only_nul", {"a": "\0"}, "one character, so not empty")
    c.add("no_break_space", {"a": "\u00a0"})
    c.add("ideographic_space", {"a": "\u3000"})
    c.add("zero_width_space", {"a": "\u200b"}, "invisible, not empty")
    c.add("only_bom", {"a": "\ufeff"})
    c.add("char_padding", {"a": "ab   ", "b": "   ab"}, "CHAR(5): padding is kept")
    c.add("null_words", {"a": "null", "b": "NULL", "c": "None", "d": "nil", "e": "(null)", "f": "undefined"})
    c.add("zero_and_false", {"a": "0", "b": "false"}, "text that a careless truth test takes for empty")

    # Separator and null token
    c.add("pipe_alone", {"a": "|"})
    c.add("pipe_at_both_ends", {"a": "|x|", "b": "y"})
    c.add("pipe_like_two_nulls", {"a": "\\N|\\N"}, "collides with two null columns in this form")
    c.add("two_nulls", {"a": None, "b": None})
    c.add("backslash_alone", {"a": "\\"})
    c.add("two_backslashes", {"a": "\\\\"})
    c.add("backslash_at_end", {"a": "x\\", "b": "N"})
    c.add("lower_case_n", {"a": "\\n"}, "the two characters, not a line feed")
    c.add("null_token_inside", {"a": "x\\N", "b": "\\Nx"})
    c.add("null_token_twice", {"a": "\\N\\N"})
    c.add("windows_path", {"a": "C:\\New\\|x"})
    c.add("full_width_pipe", {"a": "\uff5c"})

    # Numbers and times are text here
    c.add("five", {"a": "5"})
    c.add("five_point_zero", {"a": "5.000000"}, "a string is as it is")
    c.add("number_texts", {"a": "5.0", "b": "1E7", "c": "1.0E-5", "d": "-0.0", "e": "NaN", "f": "1e3", "g": "0000007"})
    c.add("time_texts", {"a": "2026-02-25 14:30:00", "b": "2026-02-25 14:30:00.000000", "c": "2026-02-25T14:30:00+09:00"})

    # Text that some layer may want to interpret
    c.add("percent", {"a": "%", "b": "%s %d %n", "c": "100%", "d": "%7C%5CN"})
    c.add("expression_language", {"a": "${b}", "b": "x", "c": "#{p}", "d": "$1 \\$"}, "nothing is evaluated")
    c.add("quotes", {"a": "\"", "b": "'", "c": "\"\"", "d": "`", "e": "say \"hi\""})
    c.add("json_text", {"a": "{\"k\":\"v\\n\"}", "b": "[1,2]"})
    c.add("markup", {"a": "<b>&amp;</b>", "b": "<![CDATA[x]]>"})
    c.add("escape_texts", {"a": "\\u0041", "b": "\\x41", "c": "\\0", "d": "\\t"})
    c.add("commas_and_tabs", {"a": "x,y", "b": "x\ty", "c": ";"})

    # Lines
    c.add("lone_cr_inside", {"a": "x\ry"})
    c.add("crlf_inside", {"a": "x\r\ny"})
    c.add("lf_at_end", {"a": "x\n"})
    c.add("line_separators", {"a": "x\u2028y", "b": "x\u2029y", "c": "x\u0085y", "d": "x\u000by\u000c"})

    # Unicode
    c.add("latin_composed", {"a": "\u00e9"})
    c.add("latin_combining", {"a": "e\u0301"}, "no normalisation")
    c.add("combining_alone", {"a": "\u0301"})
    c.add("two_combining", {"a": "q\u0307\u0323", "b": "q\u0323\u0307"}, "canonically equal, two texts")
    c.add("hangul_word", {"a": "한글", "b": "\u1112\u1161\u11ab\u1100\u1173\u11af"}, "composed and decomposed")
    c.add("hangul_compatibility_jamo", {"a": "\u3131\u314f\u3131"})
    c.add("hangul_half_width", {"a": "\uffa1\uffc2"})
    c.add("hangul_read_as_latin1", {"a": "ÇÑ"}, "한 in EUC-KR, read in a wrong charset upstream: hashed as it arrives")
    c.add("replacement_character", {"a": "\ufffd"})
    c.add("bom_inside", {"a": "a\ufeffb"})
    c.add("zero_width", {"a": "a\u200bb", "b": "a\u200cb", "c": "a\u200db", "d": "a\u2060b"})
    c.add("direction_marks", {"a": "\u200f\u05d0\u200e", "b": "\u202eabc\u202c"})
    c.add("emoji_family", {"a": "\U0001f468\u200d\U0001f469\u200d\U0001f467"})
    c.add("emoji_skin_and_flag", {"a": "\U0001f44d\U0001f3fd", "b": "\U0001f1f0\U0001f1f7", "c": "\u2764\ufe0f"})
    c.add("cjk_extension_b", {"a": "\U00020bb7\U000233b4"})
    c.add("compatibility_ideograph", {"a": "\uf90a", "b": "\u91d1"}, "look alike, two texts")
    c.add("utf8_length_edges", {"a": "\u007f", "b": "\u0080", "c": "\u07ff", "d": "\u0800", "e": "\uffff", "f": "\U00010000"})
    c.add("plane_ends", {"a": "\ud7ff", "b": "\ue000", "c": "\ufffe", "d": "\U0010ffff"})
    c.add("control_characters", {"a": "".join(map(chr, range(1, 32))) + "\x7f"})
    c.add("nul_at_ends", {"a": "\0x", "b": "x\0", "c": "\0\0"})
    c.add("turkish_letters", {"a": "I", "b": "\u0131", "c": "\u0130", "d": "i"})
    c.add("case_pairs", {"a": "ß", "b": "SS", "c": "ẞ", "d": "ſ"})

    # Unpaired surrogates: each becomes one ?
    c.add("lone_high", {"a": "\ud800"}, "as Java's String.getBytes writes it")
    c.add("lone_low", {"a": "\udc00"})
    c.add("question_mark", {"a": "?"}, "collides with lone_high")
    c.add("reversed_pair", {"a": "\ude00\ud83d"})
    c.add("two_highs", {"a": "\ud83d\ud83d"})
    c.add("two_lows", {"a": "\ude00\ude00"})
    c.add("high_then_pair", {"a": "\ud83d\ud83d\ude00"})
    c.add("pair_then_low", {"a": "\ud83d\ude00\ude00"})
    c.add("high_at_end", {"a": "ab\ud83d"}, "an emoji cut in two")
    c.add("low_at_start", {"a": "\ude00ab"})
    c.add("high_then_letter", {"a": "\ud83dx\ude00"})
    c.add("pair_over_two_columns", {"a": "x\ud83d", "b": "\ude00y"}, "the halves never meet")
    c.add("surrogate_edges", {"a": "\udbff", "b": "\udfff", "c": "\ud7ff\udbff\udfff"})

    # Names
    c.add("names_upper_and_lower", {"id": "1", "ID": "2", "Id": "3", "iD": "4"})
    c.add("names_turkish", {"ıd": "1", "İd": "2", "id": "3", "Id": "4", "ID": "5"}, "ID, Id, id, İd, ıd")
    c.add("names_one_inside_another", {"a.b": "1", "a_b": "2", "ab": "3", "a": "4", "a1": "5", "aB": "6", "a-b": "7"})
    c.add("names_cjk", {"성명": "1", "부서": "2", "漢字": "3", "名前": "4", "カナ": "5", "name": "6"})
    c.add("names_composed_and_not", {"é": "1", "e\u0301": "2", "f": "3"})
    c.add("names_over_the_surrogates", {"\U00010000": "1", "\ue000": "2", "\ufffd": "3", "\ud7ff": "4", "\U0010ffff": "5", "z": "6"},
          "UTF-16 order would put the names beyond U+FFFF before U+E000")
    c.add("names_with_blank_inside", {"a b": "1", "a": "2", "a  b": "3"})
    c.add("names_with_marks", {"a|b": "1", "a\\N": "2", "${a}": "3", "%a": "4", "\"a\"": "5"})
    c.add("names_numbered", {f"f.{i}": str(i) for i in range(1, 18)}, "f.1, f.10 ... f.17, f.2")
    c.add("flow_attributes", {"a": "x", "uuid": "0f0e8c3e-5f7f-4a52-9d0c-3e5b9c1f2a77", "filename": "a.log", "path": "./",
                              "fragment.index": "1", "row_hash": "stale"}, "only listed columns count", ["a"])
    c.add("hundred_columns", {f"c{i:03}": "" if i % 3 == 0 else f"값{i}" for i in range(100)})
    c.add("one_value_among_many", {"m": "x"}, None, [chr(i) for i in range(ord("a"), ord("z") + 1)])

    # The call table
    call = {name: f"{name} 값" for name in CALL}
    c.add("call_empty_clickid", {**call, "clickid": ""})
    c.add("call_pipe_and_newline", {**call, "input": "표 | 열\n| - | - |", "output": "첫째\r\n둘째 \U0001f600"}, "a Markdown table")
    c.add("call_only_ts", {"ts": "2026-02-25 14:30:00.123"}, None, CALL)

    # Long values
    c.add("long_65535", {"a": "y" * 65535})
    c.add("long_emoji_65536", {"a": "\U0001f600" * 16384}, "65,536 bytes of UTF-8")
    c.add("long_korean_70002", {"a": "나" * 23334, "b": "끝"}, "70,002 bytes of UTF-8")
    return c.document()


def escaped():
    c = Cases("escaped", "as row_hash.json, but before joining \\ in a value becomes \\\\ and | becomes \\|")
    c.add("plain", {"a": "x", "b": "y"}, "as in the compatible form")
    c.add("null_empty_absent", {"a": None, "b": ""}, None, ["a", "b", "c"])
    c.add("literal_null_token", {"a": "\\N"}, "does not collide with null")
    c.add("null", {"a": None})
    c.add("separator_in_value_1", {"a": "x|y", "b": "z"}, "does not collide with separator_in_value_2")
    c.add("separator_in_value_2", {"a": "x", "b": "y|z"})
    c.add("pipe_alone", {"a": "|"})
    c.add("backslash_alone", {"a": "\\"})
    c.add("backslash_pipe", {"a": "\\|"})
    c.add("pipe_backslash", {"a": "|\\"})
    c.add("backslash_at_end", {"a": "x\\", "b": "y"}, "does not collide with escaped_separator")
    c.add("escaped_separator", {"a": "x|y", "b": None})
    c.add("two_backslashes", {"a": "\\\\"})
    c.add("only_marks", {"a": "||", "b": "\\\\|", "c": "|\\\\"})
    c.add("double_null_token", {"a": "\\\\N"})
    c.add("blank", {"a": " "})
    c.add("lower_case_n", {"a": "\\n"})
    c.add("newline", {"a": "x\ny", "b": "x\r"}, "only \\ and | are escaped")
    c.add("nul_inside", {"a": "a\0b"})
    c.add("full_width_marks", {"a": "\uff5c", "b": "\uff3c"}, "look alike, not escaped")
    c.add("hangul", {"a": "가|나\\다", "b": "\u1100\u1161"})
    c.add("emoji", {"a": "\U0001f600|\U0001f600"})
    c.add("lone_surrogates", {"a": "\ud800|", "b": "\\\udc00"})
    c.add("question_mark", {"a": "?|"})
    c.add("names_sorted", {"b": "1|", "\U0001f600": "4", "\uff5e": "3", "B": "\\2"})
    c.add("names_with_marks", {"a|b": "1", "a\\": "2"}, "names are not part of the text")
    c.add("call_markdown", {**{name: f"{name} 값" for name in CALL}, "input": "| a | b |\n|---|---|", "output": "C:\\New", "clickid": ""})
    c.add("call_all_null", {}, None, CALL)
    c.add("long_pipes", {"a": "|" * 1000, "b": "\\" * 1000})
    c.add("long_65536", {"a": "y" * 65535 + "|"})
    return c.document()


# Typed values


def decimal(literal):
    """The number that the text names, exactly."""
    mantissa, _, exponent = literal.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    return Fraction(int(whole + fraction)) * Fraction(10) ** (int(exponent or 0) - len(fraction))


def plain(number):
    """Plain notation of a fraction whose denominator divides a power of ten."""
    places = 0
    while (number * 10 ** places).denominator != 1:
        places += 1
    digits = str(abs(int(number * 10 ** places))).rjust(places + 1, "0")
    text = digits[:-places] + "." + digits[-places:] if places else digits
    return "-" + text if number < 0 else text


DOUBLE = (53, -1074, 1024)
FLOAT = (24, -149, 128)


def nearest(number, kind):
    """The binary floating-point number next to this one, ties to even."""
    precision, lowest, highest = kind
    if number == 0:
        return number
    exponent = lowest
    while abs(number) / Fraction(2) ** exponent >= 2 ** precision:
        exponent += 1
    result = round(number / Fraction(2) ** exponent) * Fraction(2) ** exponent
    if abs(result) >= Fraction(2) ** highest:
        raise OverflowError(number)
    return result


def shortest(literal, kind):
    """The decimal with the fewest digits that reads back as the same binary number; of several, the closest."""
    exact = nearest(decimal(literal), kind)
    if exact == 0:
        return "0"
    magnitude = abs(exact)
    leading = 0
    while Fraction(10) ** (leading + 1) <= magnitude:
        leading += 1
    while Fraction(10) ** leading > magnitude:
        leading -= 1
    for digits in range(1, 18):
        unit = Fraction(10) ** (leading - digits + 1)
        below = magnitude // unit
        near = [n * unit for n in (below, below + 1)]
        good = [n for n in near if n and n < Fraction(2) ** kind[2] and nearest(n, kind) == magnitude]
        if good:
            found = min(good, key=lambda n: abs(n - magnitude))
            if kind is DOUBLE and found != decimal(repr(float(magnitude))):
                raise AssertionError(f"{literal}: Python's repr disagrees")
            return plain(found if exact > 0 else -found)
    raise AssertionError(literal)


def with_fraction(text, nanos):
    return text + f".{nanos:09}".rstrip("0") if nanos else text


def clock(seconds):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def days(text):
    return (date.fromisoformat(text) - date(1970, 1, 1)).days


def seconds(text):
    since = datetime.fromisoformat(text) - datetime(1970, 1, 1)
    return since.days * 86400 + since.seconds


def typed_values():
    cases = []

    def add(kind, value, text):
        cases.append({"type": kind, "value": value, "text": text})

    def invalid(kind, value):
        cases.append({"type": kind, "value": value, "error": True})

    for text in ("x", " 5.000 ", "1E7", "-0.0", "NaN", "null", "true", "\\N", "각", "\U0001f600"):
        add("string", text, text)

    for text in ("0", "1", "-1", "10", "100", "127", "-128", "32767", "2147483647", "-2147483648", "2147483648",
                 "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                 "123456789012345678901234567890", "-123456789012345678901234567890"):
        add("integer", text, text)

    for kind in ("decimal", "json_number"):
        for literal in ("0", "-0", "0.0", "-0.0", "0.00", "0e10", "0E-10", "5", "5.0", "5.000000", "-5.50", "0.10", "-0.10",
                        "100", "100.00", "1200e-2", "1230e-2", "1.500e2", "1e3", "1E3", "1E+3", "1e+03", "1e-3", "-1e3", "1E7",
                        "1.0E7", "1.0E-5", "1e-10", "0.30000000000000004", "0.1000000000000000055511151231257827",
                        "9007199254740993", "9223372036854775808", "123456789012345678901234567890",
                        "-123456789012345678901234567890.120", "12345678901234567890.00000000000000000001", "1e30", "1e-30"):
            add(kind, literal, plain(decimal(literal)))

    for literal in ("0.0", "-0.0", "5.0", "-5.5", "0.1", "0.10", "0.2", "0.30000000000000004", "100.0", "123456.789",
                    "9999999.0", "1E7", "1.0E7", "12345678.9", "1E-3", "9.999E-4", "1.0E-5", "2.0E-3", "1e3", "1e16", "1e17",
                    "1e21", "1e22", "1e23", "9.999999999999999e22", "2e23", "9007199254740992", "9007199254740993",
                    "9223372036854775807", "123456789012345678901234567890", "1.0000000000000002", "0.9999999999999999",
                    "5.684341886080802E-14", "1.1125369292536007E-308", "2.2250738585072014E-308", "2.225073858507201E-308",
                    "9.5367431640625E-7", "5e-324", "1e-323", "4.9E-324", "-5e-324", "1.7976931348623157e308",
                    "-1.7976931348623157e308", "8.98846567431158E307", "3.141592653589793", "1e100", "1e-100"):
        add("double", literal, shortest(literal, DOUBLE))
    for literal in ("0.0", "-0.0", "5.0", "-5.5", "0.1", "0.10", "0.2", "0.3", "16777216", "16777217", "33554432", "1E7", "1.0E10",
                    "1.0E-5", "2.0E-3", "1e3", "123456.789", "1.1920929E-7", "1.17549435E-38", "1.1754942E-38", "1.4E-45", "1e-45",
                    "3e-45", "3.4028235E38", "-3.4028235E38", "8.589973E9", "2.1474836E9", "3.1415927", "1.0000001", "0.99999994",
                    "1e23", "8.5070592e37", "9.999999e-5"):
        add("float", literal, shortest(literal, FLOAT))
    for kind in ("double", "float"):
        for literal in ("NaN", "Infinity", "-Infinity"):
            invalid(kind, literal)

    add("boolean", True, "true")
    add("boolean", False, "false")

    for text in ("1970-01-01", "1969-12-31", "1970-12-31", "2000-02-29", "2024-02-29", "2024-03-01", "1900-02-28", "1900-03-01",
                 "2026-02-25", "1582-10-04", "1582-10-15", "0001-01-01", "0004-02-29", "0999-12-31", "9999-12-31", "2038-01-19"):
        add("date", {"days": days(text)}, text)

    for second, nanos in ((0, 0), (1, 0), (59, 0), (60, 0), (3600, 0), (43200, 0), (86399, 0), (52200, 123000000), (52200, 123456000),
                          (52200, 123456789), (52200, 100000000), (0, 1), (0, 1000), (86399, 999999999), (52200, 10), (32949, 50000000)):
        add("time", {"nanos": second * 10 ** 9 + nanos}, with_fraction(clock(second), nanos))

    for text, nanos in (("1970-01-01 00:00:00", 0), ("1969-12-31 23:59:59", 0), ("1969-12-31 23:59:59", 999999999),
                        ("1969-12-31 23:59:59", 1), ("1969-07-20 20:17:40", 500000000), ("1900-01-01 00:00:00", 0),
                        ("0001-01-01 00:00:00", 0), ("0001-01-01 00:00:00", 1000), ("1582-10-10 12:00:00", 0),
                        ("2000-02-29 23:59:59", 0), ("2024-02-29 12:34:56", 789000000), ("2026-02-25 14:30:00", 0),
                        ("2026-02-25 14:30:00", 123000000), ("2026-02-25 14:30:00", 123456000), ("2026-02-25 14:30:00", 123456789),
                        ("2026-02-25 14:30:00", 100), ("2026-02-25 14:30:00", 500000000), ("2026-02-25 05:30:00", 0),
                        ("2026-12-31 23:59:59", 999999999), ("2038-01-19 03:14:08", 0), ("9999-12-31 23:59:59", 999999000)):
        add("timestamp", {"seconds": seconds(text), "nanos": nanos}, with_fraction(text, nanos))

    for kind, value in (("array", []), ("array", ["x"]), ("map", {"k": "v"}), ("record", {"a": "x"})):
        invalid(kind, value)
    return cases


# Files


def pretty(document):
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def one_a_line(cases):
    return "[\n" + ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases) + "\n]\n"


def recompute(name):
    document = json.loads((HERE / name).read_text(encoding="utf-8"))
    wrong = []
    for case in document["cases"]:
        row = {k: loaded(v) for k, v in case["row"].items()}
        text = canonical(case["columns"], row, document["form"])
        if (text, md5(text)) != (case["canonical"], case["row_hash"]):
            wrong.append(f"{name}: {case['name']}: stored {case['row_hash']}, the rules give {md5(text)}")
    return wrong


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    files = {"pitfalls.json": pretty(pitfalls()), "escaped.json": pretty(escaped()), "typed_values.json": one_a_line(typed_values())}
    wrong = recompute("row_hash.json")
    for name, text in files.items():
        path = HERE / name
        if not arguments:
            path.write_bytes(text.encode("utf-8"))
        elif not path.exists() or path.read_bytes() != text.encode("utf-8"):
            wrong.append(f"{name}: differs from what generate.py writes; run generate.py and look at the difference")
    wrong += recompute("pitfalls.json") + recompute("escaped.json") if not wrong else []
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
