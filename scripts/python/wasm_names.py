# SPDX-License-Identifier: GPL-2.0-only
# What runtimes of WebAssembly call the code they make, for the scripts beside
# this file. Reads a symbol's name and the file it is from; writes nothing.
#
# To teach it another runtime, add a line to FORMS.

import os
import re

# (runtime, tier, form). The first form that fits a whole name tells what it
# is; `index` and `name` in it are the function's. Tier "" is not told.
FORMS = [(runtime, tier, re.compile(form)) for runtime, tier, form in [
    ("Wasmtime", "", r"wasm\[\d+\]::function\[(?P<index>\d+)\](::(?P<name>.*))?"),
    ("Wasmtime", "", r"<wasm function (?P<index>\d+)>"),
    ("V8", "baseline", r"(JS|Function):wasm-function\[\d+\]-(?P<index>\d+)-liftoff"),
    ("V8", "optimized", r"(JS|Function):wasm-function\[\d+\]-(?P<index>\d+)-turbofan"),
    ("V8", "baseline", r"(JS|Function):(?P<name>.*)-(?P<index>\d+)-liftoff"),
    ("V8", "optimized", r"(JS|Function):(?!wasm-to-js:)(?P<name>.*)-(?P<index>\d+)-turbofan"),
    ("JavaScriptCore", "optimized", r"JSC-WasmOMG: .*\.wasm-function\[(?P<name>.*)\].*"),
    ("JavaScriptCore", "loop entry",
     r"JSC-WasmOMGForOSREntry: .*\.wasm-function\[(?P<name>.*)\].*"),
    ("JavaScriptCore", "baseline", r"JSC-WasmBBQ: .*\.wasm-function\[(?P<name>.*)\].*"),
    ("JavaScriptCore", "interpreter", r"JSC-WasmIPInt: .*\.wasm-function\[(?P<name>.*)\].*"),
    ("SpiderMonkey", "", r"(Wasm: )?.* > WebAssembly\.Module:\d+: Function (?P<name>.*)"),
    ("SpiderMonkey", "", r"Wasm: (?P<name>.*)"),
    ("WAMR", "optimized", r"(\[.*\]#)?aot_func#(?P<index>\d+)"),
    ("wazero", "", r"\[(?P<index>\d+)/\d+\](?P<name>.*):::::L\d+"),
    ("Wasmer", "", r"wasmer_function__(?P<index>\d+)"),
    ("wasm2c", "optimized", r"w2c_f(?P<index>\d+)(\..*)?"),
    ("wasm2c", "optimized", r"w2c_(?P<name>.*)"),
]]

# Names of threads of runtimes.
TASKS = re.compile(
    r"(host-)?(wasmtime|wasm2c)|wasmer|wasmedge|wazero|iwasm|node|deno|d8|V8|jsc|bun|"
    r"JITWorker|HeapHelper|JS Helper")

# Files that perf shows for generated code: of perf inject --jit, of a perf map.
GENERATED = re.compile(r"jitted-\d+-\d+\.so|perf-\d+\.map|jit-.*\.dump")


def wasm_function(symbol, dso):
    """(runtime, tier, name) of a wasm function, or None.

    Wasmtime gives functions of the name section their bare names; these are
    known by the file that they are in only, as code of an unknown runtime.
    """
    if not symbol:
        return None
    for runtime, tier, form in FORMS:
        m = form.fullmatch(symbol)
        if m:
            parts = m.groupdict()
            index = "f" + parts["index"] if parts.get("index") else ""
            return runtime, tier, " ".join(p for p in (index, parts.get("name")) if p)
    base = os.path.basename(dso or "")
    if GENERATED.fullmatch(base) and not is_script(symbol):
        return "", "", symbol
    return None


def is_script(symbol):
    """Whether it is of JavaScript, or of a runtime's own making."""
    return bool(re.match(r"(JS|Builtin|BytecodeHandler|Baseline|Ion|RegExp|Stub|Handler|"
                         r"JSC-\w+|py:|wasm::|WasmTrampoline|signatures\[|trampoline:|"
                         r"component-trampolines\[|wasm\[\d+\]::\w+_trampoline)", symbol))


def is_runtime_task(comm):
    return bool(TASKS.match(comm))
