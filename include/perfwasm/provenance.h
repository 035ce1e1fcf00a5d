/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * provenance: which wasm instruction each machine instruction of a function
 * came from, without any debug information: the function is compiled with
 * one wasm instruction changed at a time (never run), and the machine
 * instructions that change with it came from it. Works for every runtime
 * that shows its machine code. Knows nothing of samples.
 */
#ifndef PERFWASM_PROVENANCE_H
#define PERFWASM_PROVENANCE_H

#include <perfwasm/code.h>
#include <perfwasm/measure.h>
#include <perfwasm/mutate.h>

struct pw_provenance_opts {
	/* A folder that the session's host sees and may write (its box). */
	const char *box_dir;
	uint32_t per_site; /* mutants of one wasm instruction; 0: 9 */
	uint32_t budget;   /* mutants in all; 0: 6,000. Beyond it every
			      instruction gets fewer, at least one. */
};

struct pw_provenance_insn {
	uint64_t text_off;
	/* File offset of the wasm instruction in the module, or PW_NO_OFF:
	 * nothing changes it, or too much does. */
	uint64_t wasm_off;
	/* Share of that instruction's mutants with other machine code that
	 * lose or alter this machine instruction, 0 to 1. */
	double confidence;
};

struct pw_provenance {
	struct pw_provenance_insn *insns; /* in order of text_off */
	uint32_t n;
	uint64_t end_off;   /* text offset behind the last instruction */
	uint32_t n_sites;   /* wasm instructions of the function */
	uint32_t n_mutants; /* compiled */
	uint32_t n_changed; /* with other machine code */
	/* whether the function alone was compiled, the bodies of all others
	 * emptied; false: that gave other machine code, so all was */
	bool alone;
};

/*
 * Text offsets are those of the session's runtime's image of the module, as
 * pw_host_request.artifact_path gives it. Compiles up to opts->budget modules,
 * half a millisecond or more each; -EINTR after pw_measure_interrupt().
 * -ENOENT when the runtime shows no code or the function has none, -EINVAL
 * when the module does not compile. The caller releases *out.
 */
int pw_provenance_function(struct pw_session *s, const struct pw_module *m,
			   uint32_t func_idx,
			   const struct pw_provenance_opts *opts,
			   struct pw_provenance *out, struct pw_err *err);
/* The same for a runtime that no session drives. */
struct pw_provenance_code {
	uint64_t hash;     /* equal for two codes that would run the same */
	uint64_t text_off; /* of the function */
	struct pw_minsn *insns; /* freed by the search */
	uint32_t n;
};

struct pw_provenance_compiler {
	/* Compiles a module and gives the code of the function; when its
	 * hash is known_hash (not 0), insns may stay NULL. 0; -EINVAL or
	 * -ENOENT with err when there is no such code; else the search ends
	 * with what it returns. */
	int (*compile)(void *ctx, const uint8_t *module, size_t size,
		       uint32_t func_idx, uint64_t known_hash,
		       struct pw_provenance_code *code, struct pw_err *err);
	void *ctx;
};

/* opts->box_dir is not used. */
int pw_provenance_search(const struct pw_provenance_compiler *compiler,
			 const struct pw_module *m, uint32_t func_idx,
			 const struct pw_provenance_opts *opts,
			 struct pw_provenance *out, struct pw_err *err);
void pw_provenance_release(struct pw_provenance *p);
/* The instruction that holds a text offset, or NULL: before or behind the
 * function. */
const struct pw_provenance_insn *
pw_provenance_find(const struct pw_provenance *p, uint64_t text_off);

#endif
