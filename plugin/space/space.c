// SPDX-License-Identifier: GPL-2.0-only
/*
 * A space from its making to its end, and the way of each record to the file
 * that keeps what it tells.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "space-impl.h"

const char *pw_place_kind_name(enum pw_place_kind k)
{
	static const char *const names[PW_N_PLACE_KINDS] = {
		"unknown", "wasm",   "trampoline", "script",
		"runtime", "native", "kernel",     "hypervisor",
	};

	return names[k];
}

const char *pw_off_source_name(enum pw_off_source o)
{
	static const char *const names[] = { "none", "addrmap", "provenance",
					     "inferred" };

	return names[o];
}

/* --- remarks --------------------------------------------------------------------- */

#define REMARKS_MAX 1000

struct remark {
	char *text;
	const char *kind;      /* its format */
	uint32_t rank, number; /* among its kind, and among all */
};

static int one_of_each_first(const void *a, const void *b)
{
	const struct remark *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void add_remark(struct pw_space *s, const char *kind, const char *text)
{
	struct remark new = { pw_strdup(text), kind, 0, s->n_remarks };

	for (uint32_t i = 0; i < s->n_remarks; i++)
		new.rank += s->remarks[i].kind == kind;
	s->remarks = pw_realloc(s->remarks,
				(s->n_remarks + 1) * sizeof(*s->remarks));
	s->remarks[s->n_remarks++] = new;
	qsort(s->remarks, s->n_remarks, sizeof(*s->remarks), one_of_each_first);
}

void remark(struct pw_space *s, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	uint32_t i;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (i = 0; i < s->n_remarks; i++)
		if (!strcmp(s->remarks[i].text, text))
			return;
	if (s->n_remarks < REMARKS_MAX)
		add_remark(s, fmt, text);
}

uint32_t pw_space_n_remarks(const struct pw_space *s)
{
	return s->n_remarks;
}

const char *pw_space_remark(const struct pw_space *s, uint32_t i)
{
	return i < s->n_remarks ? s->remarks[i].text : NULL;
}

/* --- new and free ------------------------------------------------------------------ */

struct pw_space *pw_space_new(const struct pw_space_opts *o)
{
	struct pw_space *s = pw_zalloc(sizeof(*s));
	struct symbol_key k = { .kind = PW_PLACE_UNKNOWN,
				.name = "[unknown]",
				.raw_name = "[unknown]",
				.dso = "[unknown]",
				.func_idx = -1,
				.module = -1 };

	if (o) {
		s->opts = *o;
		s->dir = o->dir ? pw_strdup(o->dir) : NULL;
		s->root = o->root ? pw_strdup(o->root) : NULL;
	}
	s->insns.module = -1;
	s->cache = pw_zalloc(CACHE_ENTRIES * sizeof(*s->cache));
	s->jitmap = pw_jitmap_new();
	s->unknown = piece_new(&s->pieces, symbol_get(&s->pieces, &k), 0, 0);
	return s;
}

void pw_space_free(struct pw_space *s)
{
	uint32_t i;

	if (!s)
		return;
	content_release(s);
	offsets_release(s);
	artifacts_release(s);
	join_release(s);
	procs_release(s);
	dsos_release(s);
	kernel_release(&s->kernel);
	jit_release(s);
	pieces_release(&s->pieces);
	for (i = 0; i < s->n_remarks; i++)
		free(s->remarks[i].text);
	free(s->remarks);
	free(s->bare);
	free(s->resolved);
	free(s->cache);
	free(s->osrelease);
	free(s->dir);
	free(s->root);
	free(s);
}

/* --- what was recorded --------------------------------------------------------------- */

static bool is_of_kernel(const struct pw_event *ev)
{
	unsigned int mode = ev->misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_KERNEL ||
	       mode == PERF_RECORD_MISC_GUEST_KERNEL;
}

void pw_space_event(struct pw_space *s, const struct pw_event *ev)
{
	switch (ev->type) {
	case PW_REC_KSYMBOL:
		kernel_event(s, ev);
		break;
	case PW_REC_MMAP:
	case PW_REC_MMAP2:
		if (is_of_kernel(ev))
			kernel_event(s, ev);
		else
			procs_event(s, ev);
		break;
	case PW_REC_COMM:
	case PW_REC_FORK:
	case PW_REC_EXIT:
		procs_event(s, ev);
		break;
	case PW_REC_TIME_CONV:
		s->time_shift = ev->time_conv.shift;
		s->time_mult = ev->time_conv.mult;
		s->time_zero = ev->time_conv.zero;
		break;
	}
}

void pw_space_facts(struct pw_space *s, const struct pw_capture_facts *facts)
{
	char host[256] = "";

	if (facts->hostname && !gethostname(host, sizeof(host) - 1))
		s->is_foreign = strcmp(facts->hostname, host);
	if (facts->osrelease) {
		free(s->osrelease);
		s->osrelease = pw_strdup(facts->osrelease);
	}
	if (facts->arch && !strcmp(facts->arch, "x86_64"))
		s->machine = EM_X86_64;
	else if (facts->arch && !strcmp(facts->arch, "aarch64"))
		s->machine = EM_AARCH64;
	if (facts->has_clock_data && facts->wall_clock_ns > facts->clock_ns)
		s->epoch_ns = facts->wall_clock_ns - facts->clock_ns;
}

void pw_space_set_resolver(struct pw_space *s, pw_space_resolver *fn, void *ctx)
{
	s->resolver = fn;
	s->resolver_ctx = ctx;
}

/* --- symbols and pieces ------------------------------------------------------------------ */

uint32_t pw_space_n_symbols(const struct pw_space *s)
{
	return s->pieces.n_symbols;
}

const struct pw_symbol *pw_space_symbol(const struct pw_space *s, uint32_t id)
{
	return id < s->pieces.n_symbols ? s->pieces.symbols[id] : NULL;
}

uint32_t pw_space_n_pieces(const struct pw_space *s)
{
	return s->pieces.n;
}

const struct pw_piece *pw_space_piece(const struct pw_space *s, uint32_t id)
{
	return id < s->pieces.n ? &piece_at(&s->pieces, id)->pub : NULL;
}
