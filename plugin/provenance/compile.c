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

static int read_code(const struct compiler *cc, const char *path,
		     uint64_t known_hash, struct compiled *c,
		     struct pw_err *err)
{
	int ret = pw_file_open(&c->file, path, err);

	if (ret)
		return ret;
	c->code = pw_code_open(c->file.data, c->file.size, cc->n_imported, err);
	if (!c->code)
		return -EINVAL;
	c->func = pw_code_func_find(c->code, cc->func_idx);
	if (!c->func)
		return pw_err_set(err, ENOENT,
				  "the runtime's image has no function %u",
				  cc->func_idx);
	c->hash = pw_code_func_hash(c->code, c->func);
	if (known_hash && c->hash == known_hash)
		return 0;
	ret = pw_code_disasm(c->code, c->func, &c->insns, &c->n, err);
	/* what the runtime knows of provenance would be cheating */
	for (uint32_t i = 0; !ret && i < c->n; i++)
		c->insns[i].wasm_off = PW_NO_OFF;
	return ret;
}

int compile(const struct compiler *cc, const uint8_t *module, size_t size,
	    uint64_t known_hash, struct compiled *c, struct pw_err *err)
{
	char *wasm = pw_asprintf("%s/provenance.wasm", cc->opts->box_dir);
	char *elf = pw_asprintf("%s/provenance.elf", cc->opts->box_dir);
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

	memset(c, 0, sizeof(*c));
	if (!ret)
		ret = pw_session_run(cc->session, &req, &reply, err);
	if (!ret && reply.outcome == PW_OUT_OK)
		ret = read_code(cc, elf, known_hash, c, err);
	else if (!ret)
		pw_err_set(err, EINVAL, "%s", reply.message);
	if (ret)
		compiled_release(c);
	free(wasm);
	free(elf);
	return ret;
}

void compiled_release(struct compiled *c)
{
	free(c->insns);
	pw_code_close(c->code);
	pw_file_close(&c->file);
	memset(c, 0, sizeof(*c));
}
