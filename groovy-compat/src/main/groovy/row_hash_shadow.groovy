// Checks the row_hash of an upstream processor. For NiFi's ExecuteScript, Script Engine "Groovy".
//
// For a careful migration: put it behind ComputeRowHash and watch the two counters. It computes the hash again,
// as row_hash.groovy does, and never changes the attribute row_hash.
// For a table other than the NAS call table add the dynamic property "columns": the names, separated by commas.
//
// success: both hashes are equal
// failure: they differ or row_hash is missing; error_message says how, error_processor names this processor

import java.security.MessageDigest
import static java.nio.charset.StandardCharsets.ISO_8859_1
import static java.nio.charset.StandardCharsets.UTF_8

// ---- The canonical row: the same lines in row_hash.groovy and row_hash_shadow.groovy ----

def callColumns = ['ts', 'epid', 'serviceid', 'functiontype', 'clickid', 'response', 'userid', 'comp', 'suborg',
                   'llmurl', 'llmtype', 'input', 'output', 'func_name', 'func_name_en', 'analyticsyn', 'devicetype']

// In the order of their UTF-8 bytes. String.compareTo would order names beyond U+FFFF differently.
def sorted = { names ->
    def byBytes = new TreeMap()
    names.each { name ->
        if (name.isEmpty()) throw new IllegalArgumentException("The property columns has an empty name; remove the extra comma")
        if (name == 'row_hash') throw new IllegalArgumentException("The property columns lists row_hash; a hash cannot cover itself: remove it")
        if (byBytes.put(new String(name.getBytes(UTF_8), ISO_8859_1), name) != null)
            throw new IllegalArgumentException("The property columns lists ${name} twice; remove one")
    }
    byBytes.values() as List
}

def listedColumns = { flowFile ->
    def listed = binding.hasVariable('columns') ? columns.evaluateAttributeExpressions(flowFile).value : null
    listed == null ? callColumns : listed.split(',', -1).collect { it.replaceAll(/(?U)^\s+|\s+$/, '') }
}

def text = { value -> value == null || value.isEmpty() ? '\\N' : value }

def md5 = { string -> MessageDigest.getInstance('MD5').digest(string.getBytes(UTF_8)).encodeHex().toString() }

// ---- End of the canonical row ----

// What usually makes an upstream hash differ: each is tried until one gives that hash.
def reason = { listed, names, row, upstream ->
    def gives = { values -> md5(values.join('|')) == upstream }
    def values = names.collect { text(row[it]) }
    def escaped = { value -> value == null || value.isEmpty() ? '\\N' : value.replace('\\', '\\\\').replace('|', '\\|') }

    if (!(upstream ==~ /[0-9a-f]{32}/)) return 'it is not an MD5 in 32 lower-case hexadecimal digits'
    if (gives(names.collect { escaped(row[it]) })) return 'it is that of the escaped form: set Canonical Form to Compatible'
    if (gives(names.collect { row[it] ?: '' })) return 'it is that with empty values left empty instead of \\N'
    if (gives(names.collect { text(row[it]?.trim()) })) return 'it is that of trimmed values'
    if (gives(listed.collect { text(row[it]) })) return 'it is that of the columns as listed, not sorted by name'
    for (int i = 0; i < names.size(); i++) {
        def others = values[0..<i] + values[i + 1..<values.size()]
        if (gives(others)) return "it is that without ${names[i]}: add it to the upstream list of columns"
        if (gives(others.plus(i, ['\\N']))) return "it is that with an empty ${names[i]}: it got its value later, or was empty upstream"
    }
    for (name in row.keySet() - names - 'row_hash') {
        if (gives(sorted(names + name).collect { text(row[it]) })) return "it is that with ${name} as one more column: remove it from the upstream list"
    }
    'the lists of columns differ, or an attribute was changed in between'
}

// Attributes live on the heap; a cut must not split a surrogate pair.
def cut = { string, length ->
    if (string.length() <= length) return string
    def end = Character.isHighSurrogate(string.charAt(length - 1)) ? length - 1 : length
    "${string.substring(0, end)}... (${string.length()} characters)"
}

def flowFile = session.get()
if (flowFile == null) return

def refuse = { message ->
    flowFile = session.putAllAttributes(flowFile, [error_message: message.toString(), error_processor: context.name ?: 'row_hash_shadow'])
    session.adjustCounter('row_hash different', 1, false)
    session.transfer(flowFile, REL_FAILURE)
}

try {
    def listed = listedColumns(flowFile)
    def names = sorted(listed)
    def row = flowFile.attributes
    def canonical = names.collect { text(row[it]) }.join('|')
    def own = md5(canonical)
    def upstream = row.row_hash
    if (own == upstream) {
        session.adjustCounter('row_hash equal', 1, false)
        session.transfer(flowFile, REL_SUCCESS)
    } else if (!upstream) {
        refuse("row_hash is missing; it should be ${own}. Put this script behind the processor that computes it. Canonical text: ${cut(canonical, 1000)}")
    } else {
        refuse("row_hash is ${cut(upstream, 100)}, it should be ${own}: ${reason(listed, names, row, upstream)}. Canonical text: ${cut(canonical, 1000)}")
    }
} catch (Exception e) {
    log.error("row_hash of ${flowFile} was not compared: ${e.message}".toString(), e)
    refuse("row_hash was not compared: ${e.message}")
}
