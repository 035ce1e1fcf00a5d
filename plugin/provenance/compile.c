// SPDX-License-Identifier: GPL-2.0-only
/*
 * One module through the runtime's compiler and back as the machine code of
 * one function. Nothing is run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

#define CPU_LIMIT_NS ((uint64_t)60 * 1000000000)
#define MEMORY_LIMIT ((uint64_t)4 << 30)

static int take_code(const struct pw_code *code, uint32_t func_idx,
		     uint64_t known_hash, struct pw_provenance_code *out,
		     struct pw_err *err)
{
	const struct pw_code_func *f = pw_code_func_find(code, func_idx);

	if (!f)
		return pw_err_set(err, ENOENT,
				  "the runtime's image has no function %u",
				  func_idx);
	out->hash = pw_code_func_hash(code, f);
	out->text_off = f->text_off;
	if (known_hash && out->hash == known_hash)
		return 0;
	return pw_code_disasm(code, f, &out->insns, &out->n, err);
}

static int read_code(const struct session_compiler *sc, const char *path,
		     uint32_t func_idx, uint64_t known_hash,
		     struct pw_provenance_code *out, struct pw_err *err)
{
	struct pw_file file;
	struct pw_code *code;
	int ret = pw_file_open(&file, path, err);

	if (ret)
		return ret;
	code = pw_code_open(file.data, file.size, sc->n_imported, err);
	ret = code ? take_code(code, func_idx, known_hash, out, err) : -EINVAL;
	pw_code_close(code);
	pw_file_close(&file);
	return ret;
}

int session_compile(void *ctx, const uint8_t *module, size_t size,
		    uint32_t func_idx, uint64_t known_hash,
		    struct pw_provenance_code *code, struct pw_err *err)
{
	const struct session_compiler *sc = ctx;
	char *wasm = pw_asprintf("%s/provenance.wasm", sc->box_dir);
	char *elf = pw_asprintf("%s/provenance.elf", sc->box_dir);
	struct pw_host_request req = {
		.module_path = wasm,
		.compile_only = true,
		.artifact_path = elf,
		.cpu_limit_ns = CPU_LIMIT_NS,
		.wall_limit_ns = 2 * CPU_LIMIT_NS,
		.memory_limit_bytes = MEMORY_LIMIT,
	};
	struct pw_host_reply reply;
	int ret = pw_file_write(wasm, module, size, err);

	if (!ret)
		ret = pw_session_run(sc->session, &req, &reply, err);
	if (!ret && reply.outcome == PW_OUT_OK)
		ret = read_code(sc, elf, func_idx, known_hash, code, err);
	else if (!ret)
		ret = pw_err_set(err, EINVAL, "%s", reply.message);
	free(wasm);
	free(elf);
	return ret;
}
