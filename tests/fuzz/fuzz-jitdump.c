// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a jitdump. A refused one has a reason; of an accepted one all
 * bytes are accounted for, all lines can be read, and what is found at the
 * edges of code is what a search through all of it finds.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/jit.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void check_records(const uint8_t *data, size_t size)
{
	struct pw_jit_record r;
	struct pw_jitdump d;
	uint64_t at, n = 0;

	if (pw_jitdump_open_bytes(&d, data, size, 0, NULL))
		abort();
	at = d.at;
	while (pw_jitdump_next(&d, &r)) {
		struct pw_jit_line line = { 0 };
		size_t len = r.name ? strlen(r.name) : 0;

		if (r.off < at || r.size_bytes < 16)
			abort();
		at = r.off + r.size_bytes;
		if (r.code && r.code_size)
			sink = r.code[r.code_size - 1];
		if (r.unwind && r.unwind_size)
			sink = r.unwind[r.unwind_size - 1];
		while (pw_jit_lines_next(&r.lines, &line))
			len += strlen(line.file);
		n += len;
	}
	if (at > size || d.counts.tail_bytes != size - d.at)
		abort();
	if (d.counts.tail_bytes && !d.counts.first_fault.code)
		abort();
	sink = (unsigned char)n;
}

/* Only loads: a move takes away what a search would find. */
static const struct pw_jit_code *
slow_find(const struct pw_jitmap *m, uint32_t pid, uint64_t addr, uint64_t time)
{
	const struct pw_jit_code *best = NULL;
	uint32_t i;

	for (i = 0; i < pw_jitmap_n_codes(m); i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);

		if (c->pid != pid || addr - c->addr >= c->size_bytes ||
		    c->addr + c->size_bytes < c->addr || c->from_ns > time)
			continue;
		if (!best || c->from_ns >= best->from_ns)
			best = c;
	}
	return best;
}

static void check_at(struct pw_jitmap *m, const struct pw_jit_code *c,
		     uint64_t addr, bool has_moves)
{
	struct pw_jit_hit hit;

	pw_jitmap_find(m, c->pid, addr, c->from_ns, &hit);
	if (hit.from_ns > c->from_ns || hit.to_ns <= hit.from_ns)
		abort();
	if (hit.is_early)
		hit.code = NULL;
	if (hit.code && addr - hit.code->addr >= hit.code->size_bytes)
		abort();
	if (!has_moves && hit.code != slow_find(m, c->pid, addr, c->from_ns))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pw_jitmap *m = pw_jitmap_new();
	struct pw_err err = { .msg = "" };
	struct pw_jit_counts n;
	uint32_t i;

	if (pw_jitmap_add_dump_bytes(m, data, size, NULL, &n, &err)) {
		if (err.code <= 0 || !err.msg[0])
			abort();
		pw_jitmap_free(m);
		return 0;
	}
	check_records(data, size);
	for (i = 0; i < pw_jitmap_n_codes(m) && i < 256; i++) {
		const struct pw_jit_code *c = pw_jitmap_code(m, i);
		bool has_moves = n.records[PW_JIT_MOVE];
		struct pw_jit_line line;
		struct pw_jit_name name;

		/* the map's borders are 64 bits wide, and of its last byte
		 * nothing is said */
		if (c->from_ns == UINT64_MAX)
			continue;
		check_at(m, c, c->addr, has_moves);
		check_at(m, c, c->addr - 1, has_moves);
		check_at(m, c, c->addr + c->size_bytes - 1, has_moves);
		check_at(m, c, c->addr + c->size_bytes, has_moves);
		pw_jit_code_line(c, c->size_bytes / 2, &line);
		pw_jit_name_parse(&name, c->name, strlen(c->name), PW_NAME_JIT);
	}
	pw_jitmap_free(m);
	return 0;
}
