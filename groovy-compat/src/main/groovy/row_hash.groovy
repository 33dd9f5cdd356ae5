// Computes row_hash. For NiFi's ExecuteScript, Script Engine "Groovy".
//
// The hash is over the 17 columns of the NAS call table, each an attribute of the FlowFile.
// For another table add the dynamic property "columns" to the processor: the names, separated by commas.
//
// success: the FlowFile with the attribute row_hash
// failure: the FlowFile as it came; the reason is in the log

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

def flowFile = session.get()
if (flowFile == null) return

try {
    def canonical = sorted(listedColumns(flowFile)).collect { text(flowFile.getAttribute(it)) }.join('|')
    flowFile = session.putAttribute(flowFile, 'row_hash', md5(canonical))
    session.transfer(flowFile, REL_SUCCESS)
} catch (Exception e) {
    log.error("No row_hash for ${flowFile}: ${e.message}".toString(), e)
    session.transfer(flowFile, REL_FAILURE)
}
