// SPDX-License-Identifier: GPL-2.0-only
/*
 * The code of all processes: their spaces, what they inherit, and the answer
 * to which code was at an address of a process at a time. How jitdumps and
 * perf maps get in is told in jitmap-add.c.
 */
#include "jitmap.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 512u

struct pw_jitmap *pw_jitmap_new(void)
{
	return pw_zalloc(sizeof(struct pw_jitmap));
}

void pw_jitmap_free(struct pw_jitmap *m)
{
	struct jit_space *s, *next_space;
	struct jit_keep *k, *next;
	uint32_t i;

	if (!m)
		return;
	HASH_ITER (hh, m->spaces, s, next_space) {
		HASH_DEL(m->spaces, s);
		jit_layer_release(&s->dumped);
		jit_layer_release(&s->perfmap);
		jit_layer_release(&s->doubtful);
		free(s->forks);
		free(s);
	}
	for (k = m->keeps; k; k = next) {
		next = k->next;
		pw_file_close(&k->file);
		free(k->memory);
		free(k);
	}
	for (i = 0; i < m->n_blocks; i++)
		free(m->blocks[i]);
	free(m->blocks);
	free(m);
}

struct jit_keep *jit_keep_new(struct pw_jitmap *m)
{
	struct jit_keep *k = pw_zalloc(sizeof(*k));

	k->next = m->keeps;
	m->keeps = k;
	return k;
}

static struct jit_space *find_space(struct pw_jitmap *m, uint32_t pid)
{
	if (!m->last || m->last->pid != pid)
		HASH_FIND(hh, m->spaces, &pid, sizeof(pid), m->last);
	return m->last;
}

struct jit_space *jit_space_get(struct pw_jitmap *m, uint32_t pid)
{
	struct jit_space *s = find_space(m, pid);

	if (s)
		return s;
	s = pw_zalloc(sizeof(*s));
	s->pid = pid;
	HASH_ADD(hh, m->spaces, pid, sizeof(s->pid), s);
	m->last = s;
	return s;
}

/* --- code ----------------------------------------------------------------------- */

struct pw_jit_code *jit_code_new(struct pw_jitmap *m)
{
	struct pw_jit_code *c;

	if (m->n_codes == m->n_blocks * BLOCK) {
		m->blocks = pw_realloc(m->blocks,
				       (m->n_blocks + 1) * sizeof(*m->blocks));
		m->blocks[m->n_blocks++] = pw_zalloc(BLOCK * sizeof(*c));
	}
	c = jit_code_at(m, m->n_codes);
	c->idx = m->n_codes++;
	return c;
}

struct pw_jit_code *jit_code_at(const struct pw_jitmap *m, uint32_t idx)
{
	return &m->blocks[idx / BLOCK][idx % BLOCK];
}

/*
 * wazero's perf map gives trampolines of the host wrong addresses, over those
 * of functions; so a trampoline of a perf map never hides something else.
 */
static struct jit_layer *layer_of(struct jit_space *s,
				  const struct pw_jit_code *code)
{
	struct pw_jit_name n;

	if (!code->is_perfmap)
		return &s->dumped;
	pw_jit_name_parse(&n, code->name, strlen(code->name), PW_NAME_JIT);
	return n.kind == PW_KIND_TRAMPOLINE ? &s->doubtful : &s->perfmap;
}

bool jit_code_place(struct pw_jitmap *m, const struct pw_jit_code *code)
{
	if (!code->size_bytes || code->addr + code->size_bytes < code->addr ||
	    code->idx >= JIT_REF_SPECIAL)
		return false;
	jit_layer_add(layer_of(jit_space_get(m, code->pid), code), code->addr,
		      code->addr + code->size_bytes, code->from_ns, code->idx);
	return true;
}

uint32_t pw_jitmap_n_codes(const struct pw_jitmap *m)
{
	return m->n_codes;
}

const struct pw_jit_code *pw_jitmap_code(const struct pw_jitmap *m,
					 uint32_t idx)
{
	return idx < m->n_codes ? jit_code_at(m, idx) : NULL;
}

bool pw_jit_code_line(const struct pw_jit_code *code, uint64_t code_off,
		      struct pw_jit_line *line)
{
	struct pw_jit_lines l = code->lines;
	struct pw_jit_line at = { 0 };
	bool found = false;

	while (pw_jit_lines_next(&l, &at))
		if (at.code_off <= code_off &&
		    (!found || at.code_off >= line->code_off)) {
			*line = at;
			found = true;
		}
	return found;
}

/* --- processes -------------------------------------------------------------------- */

void pw_jitmap_fork(struct pw_jitmap *m, uint32_t ppid, uint32_t pid,
		    uint64_t time_ns)
{
	struct jit_space *s = jit_space_get(m, pid);

	if (ppid == pid || s->n_forks >= UINT32_MAX - JIT_REF_SPECIAL)
		return;
	s->forks = pw_realloc(s->forks, (s->n_forks + 1) * sizeof(*s->forks));
	s->forks[s->n_forks] = (struct jit_fork){ ppid, time_ns };
	jit_layer_add(&s->dumped, 0, UINT64_MAX, time_ns,
		      JIT_REF_SPECIAL + s->n_forks++);
}

void pw_jitmap_exec(struct pw_jitmap *m, uint32_t pid, uint64_t time_ns)
{
	jit_layer_add(&jit_space_get(m, pid)->dumped, 0, UINT64_MAX, time_ns,
		      JIT_REF_NOTHING);
}

/* --- the question ------------------------------------------------------------------ */

/* Of more generations than this none is asked. */
#define MAX_GENERATIONS 16

static const struct pw_jit_code *code_of(const struct pw_jitmap *m,
					 uint32_t ref)
{
	return ref < JIT_REF_SPECIAL ? jit_code_at(m, ref) : NULL;
}

static const struct pw_jit_code *
find_any_time(const struct pw_jitmap *m, struct jit_layer *l, uint64_t addr)
{
	struct jit_answer a;

	jit_layer_find(l, addr, UINT64_MAX, &a);
	return code_of(m, a.ref);
}

static void find(struct pw_jitmap *m, uint32_t pid, uint64_t addr,
		 uint64_t time, int generation, struct pw_jit_hit *hit)
{
	struct jit_space *s = find_space(m, pid);
	struct jit_answer a;

	*hit = (struct pw_jit_hit){ NULL, 0, UINT64_MAX, false };
	if (!s || generation > MAX_GENERATIONS)
		return;
	jit_layer_find(&s->dumped, addr, time, &a);
	hit->code = code_of(m, a.ref);
	if (!hit->code && a.ref != JIT_REF_NOTHING) {
		const struct jit_fork *f = &s->forks[a.ref - JIT_REF_SPECIAL];

		/* what the parent had then never changes */
		find(m, f->ppid, addr, f->time, generation + 1, hit);
		if (hit->is_early)
			hit->code = NULL;
	}
	if (!hit->code)
		hit->code = find_any_time(m, &s->perfmap, addr);
	if (!hit->code)
		hit->code = find_any_time(m, &s->doubtful, addr);
	hit->is_early = !hit->code && code_of(m, a.next_ref);
	if (hit->is_early)
		hit->code = code_of(m, a.next_ref);
	hit->from_ns = a.from;
	hit->to_ns = a.to;
}

bool pw_jitmap_find(struct pw_jitmap *m, uint32_t pid, uint64_t addr,
		    uint64_t time_ns, struct pw_jit_hit *hit)
{
	find(m, pid, addr, time_ns, 0, hit);
	return hit->code;
}
