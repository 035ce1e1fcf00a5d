# SPDX-License-Identifier: GPL-2.0-only
# wasmer-guest: compiles a module and runs what was compiled, in Wasmer's
# Python package. Its dylib engine makes a shared object with a symbol for each
# function; the linker is cc.
#
#     wasmer-guest.py compile [compiler=cranelift|singlepass] MODULE ARTIFACT
#     wasmer-guest.py run [compiler=...] ARTIFACT [NAME=VALUE...] [-- ARG...]
import importlib
import sys

from wasmer import Function, ImportObject, Instance, Module, Store, engine, wasi


def take_compiler(words):
    name = "cranelift"
    if words and words[0].startswith("compiler="):
        name = words.pop(0).partition("=")[2]
    if name not in ("cranelift", "singlepass"):
        sys.exit(f"compiler={name} is neither cranelift nor singlepass")
    return importlib.import_module(f"wasmer_compiler_{name}").Compiler


def compile_module(store, module, artifact):
    with open(module, "rb") as f:
        code = Module(store, f.read()).serialize()
    with open(artifact, "wb") as f:
        f.write(code)


def run(store, artifact, words):
    with open(artifact, "rb") as f:
        module = Module.deserialize(store, f.read())
    cut = words.index("--") if "--" in words else len(words)
    state = wasi.StateBuilder("guest").arguments(words[cut + 1:])
    for word in words[:cut]:
        name, _, value = word.partition("=")
        state = state.environment(name, value)
    version = wasi.get_version(module, strict=False)
    if version:
        imports = state.finalize().generate_import_object(store, version)
    else:
        imports = ImportObject()
    Instance(module, imports).exports._start()


def main(verb, words):
    store = Store(engine.Dylib(take_compiler(words)))
    try:
        if verb == "compile":
            compile_module(store, *words)
        else:
            run(store, words[0], words[1:])
    except RuntimeError as e:
        text = str(e).strip()
        if "WASI exited with code" in text:
            sys.exit(int(text.rpartition(":")[2]))
        print(text, file=sys.stderr)
        sys.exit(134 if verb == "run" else 1)  # as after an abort


main(sys.argv[1], sys.argv[2:])
