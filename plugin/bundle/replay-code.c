// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are the accused machine instructions still in the suspect's code? Looked
 * for by opcode, and where the runtime tells which wasm instruction each came
 * from, at the same one.
 */
#include "replay.h"

#include <perfwasm/code.h>
#include <perfwasm/module.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t n_imported(const struct replay *r)
{
	size_t size;
	const uint8_t *bytes =
		pw_bundle_file(r->o->bundle, "hunted.wasm", &size);
	struct pw_module *m = pw_module_decode(bytes, size, NULL);
	uint32_t n = m ? pw_module_n_imported(m, PW_EXT_FUNC) : 0;

	pw_module_free(m);
	return n;
}

static int compile(struct replay *r, const char *elf, bool *done,
		   struct pw_err *err)
{
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret;

	pw_guest_request(&r->box, r->hunted, &req);
	req.compile_only = true;
	req.digest = false;
	req.artifact_path = elf;
	ret = pw_session_run(r->suspect.session, &req, &reply, err);
	*done = !ret && reply.outcome == PW_OUT_OK;
	return ret;
}

static bool is_there(const struct pw_minsn *insns, uint32_t n, bool has_map,
		     const char *opcode, long long wasm_off)
{
	for (uint32_t i = 0; i < n; i++)
		if (!strcmp(insns[i].opcode, opcode) &&
		    (!has_map || wasm_off < 0 ||
		     insns[i].wasm_off == (uint64_t)wasm_off))
			return true;
	return false;
}

/* The accused of one finding in the code of its function. */
static int look(struct replay *r, const struct pw_code *code, uint32_t i,
		struct pw_err *err)
{
	struct replay_finding *f = &r->findings[i];
	const struct pw_code_func *func = pw_code_func_find(code, f->code_func);
	struct pw_minsn *insns = NULL;
	uint32_t n = 0;
	const char *s;
	int ret = func ? pw_code_disasm(code, func, &insns, &n, err) : 0;

	for (uint32_t k = 0;
	     !ret && (s = pw_bundle_get(r->o->bundle, "accused", k)); k++) {
		long long wasm_off;
		char opcode[24];
		unsigned of;

		if (sscanf(s, "%u %23s %lld", &of, opcode, &wasm_off) != 3 ||
		    of != i + 1)
			continue;
		f->n_accused++;
		f->n_present += is_there(insns, n, pw_code_has_map(code),
					 opcode, wasm_off);
	}
	free(insns);
	return ret;
}

int replay_code(struct replay *r, struct pw_err *err)
{
	char *elf = replay_path(r, "suspect.elf");
	struct pw_file f = { 0 };
	struct pw_code *code = NULL;
	bool done = false;
	int ret = 0;

	if (r->suspect.rt.shows_code)
		ret = compile(r, elf, &done, err);
	if (!ret && done)
		ret = pw_file_open(&f, elf, err);
	if (!ret && done) {
		code = pw_code_open(f.data, f.size, n_imported(r), err);
		ret = code ? 0 : -err->code;
	}
	for (uint32_t i = 0; i < r->n_findings && code && !ret; i++)
		ret = look(r, code, i, err);
	r->code_known = code != NULL;
	pw_code_close(code);
	pw_file_close(&f);
	free(elf);
	return ret;
}
