// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a perf map. Every line is read or counted; what is found at an
 * address covers it, and of the code there that is no trampoline it is the
 * last; every name can be parsed, and its text lies within it.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/jit.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_name(const char *s, size_t len, enum pw_name_source source)
{
	struct pw_jit_name n;

	pw_jit_name_parse(&n, s, len, source);
	if (n.engine >= PW_N_ENGINES || n.kind >= PW_N_KINDS ||
	    n.tier >= PW_N_TIERS || n.func_idx < -1 ||
	    n.func_idx > UINT32_MAX || n.module_idx > UINT32_MAX)
		abort();
	if (n.text_len &&
	    (n.text < s || n.text_len > len - (size_t)(n.text - s)))
		abort();
}

static uint64_t check_lines(const uint8_t *data, size_t size)
{
	struct pw_perfmap_line l;
	struct pw_perfmap m;
	uint64_t n = 0;

	pw_perfmap_open_bytes(&m, data, size);
	while (pw_perfmap_next(&m, &l)) {
		if (!l.name_len || memchr(l.name, '\n', l.name_len))
			abort();
		check_name(l.name, l.name_len, PW_NAME_JIT);
		check_name(l.name, l.name_len, PW_NAME_ELF);
		n++;
	}
	if (n + m.malformed != m.n_lines || m.at != size)
		abort();
	return n;
}

static bool is_trampoline(const struct pw_jit_code *c)
{
	struct pw_jit_name n;

	pw_jit_name_parse(&n, c->name, strlen(c->name), PW_NAME_JIT);
	return n.kind == PW_KIND_TRAMPOLINE;
}

static void check_at(struct pw_jitmap *m, uint64_t addr)
{
	const struct pw_jit_code *want = NULL;
	struct pw_jit_hit hit;
	uint32_t i;

	for (i = 0; i < pw_jitmap_n_codes(m); i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);

		if (addr - c->addr >= c->size_bytes ||
		    c->addr + c->size_bytes < c->addr)
			continue;
		if (!want || is_trampoline(want) || !is_trampoline(c))
			want = c;
	}
	pw_jitmap_find(m, 1, addr, 0, &hit);
	if (hit.code != want)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_jitmap *m = pw_jitmap_new();
	struct pw_jit_counts n;
	uint32_t i;

	pw_jitmap_add_perfmap_bytes(m, data, size, 1, &n);
	if (check_lines(data, size) != n.records[PW_JIT_LOAD] ||
	    pw_jitmap_n_codes(m) != n.records[PW_JIT_LOAD])
		abort();
	/* the search is slow: not through everything of a long map */
	for (i = 0; i < pw_jitmap_n_codes(m) && i < 16 && size < 4096; i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);

		check_at(m, c->addr);
		check_at(m, c->addr + c->size_bytes - 1);
		check_at(m, c->addr + c->size_bytes);
	}
	if (size < 4096) {
		check_name((const char *)data, size, PW_NAME_JIT);
		check_name((const char *)data, size, PW_NAME_ELF);
	}
	pw_jitmap_free(m);
	return 0;
}
