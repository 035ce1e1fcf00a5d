// SPDX-License-Identifier: GPL-2.0-only
/*
 * The question where an address was. What generated code, mapped files, the
 * kernel and whoever else knows say is put in order here; the answers are
 * kept for the next sample, which is mostly where the last one was.
 */
#include <string.h>

#include <linux/perf_event.h>

#include "space-impl.h"

/* --- one address -------------------------------------------------------------------- */

static struct piece *unknown_in(struct pw_space *s, enum pw_place_kind kind,
				const char *dso)
{
	struct symbol_key k = { .kind = kind,
				.name = "[unknown]",
				.raw_name = "[unknown]",
				.dso = dso,
				.func_idx = -1,
				.module = -1 };
	const struct pw_symbol *sym = symbol_get(&s->pieces, &k);
	uint32_t i;

	for (i = 0; i < s->n_bare; i++)
		if (s->bare[i]->pub.sym == sym)
			return s->bare[i];
	s->bare = pw_realloc(s->bare, (s->n_bare + 1) * sizeof(*s->bare));
	s->bare[s->n_bare] = piece_new(&s->pieces, sym, 0, 0);
	return s->bare[s->n_bare++];
}

/* A file that was mapped after the code was made lies over it; anonymous
 * memory is what code is made in. */
static bool is_over(const struct map *m, const struct pw_jit_hit *hit)
{
	return m && m->dso->is_file && hit->code->from_ns &&
	       m->from_ns > hit->code->from_ns;
}

static struct piece *from_jit(struct pw_space *s, struct proc *proc,
			      const struct map *m, uint64_t addr,
			      uint64_t time_ns, struct pw_place *place)
{
	struct pw_jit_hit hit;

	pw_jitmap_find(s->jitmap, proc->pid, addr, time_ns, &hit);
	place->from_ns = hit.from_ns;
	place->to_ns = hit.to_ns;
	if (!hit.code || is_over(m, &hit))
		return NULL;
	place->off = addr - hit.code->addr;
	return jit_piece(s, hit.code);
}

static struct piece *from_resolver(struct pw_space *s, uint32_t pid,
				   uint64_t addr, uint64_t *off)
{
	struct pw_native n = { 0 };
	struct symbol_key k = { .kind = PW_PLACE_NATIVE,
				.func_idx = -1,
				.module = -1 };
	const struct pw_symbol *sym;
	uint32_t i;

	if (!s->resolver || !s->resolver(s->resolver_ctx, pid, addr, &n))
		return NULL;
	k.name = k.raw_name = n.name ? n.name : "[unknown]";
	k.dso = n.dso ? n.dso : "[unknown]";
	if (n.is_kernel)
		k.kind = PW_PLACE_KERNEL;
	else if (dso_is_runtime(k.dso))
		k.kind = PW_PLACE_RUNTIME;
	else if (!n.name && *k.dso != '/')
		k.kind = PW_PLACE_UNKNOWN;
	*off = n.name ? n.off : addr;
	sym = symbol_get(&s->pieces, &k);
	/* one piece a symbol: perf tells no more */
	for (i = s->n_resolved; i <= sym->id; i++) {
		s->resolved =
			pw_realloc(s->resolved, (i + 1) * sizeof(*s->resolved));
		s->resolved[i] = NULL;
		s->n_resolved = i + 1;
	}
	if (!s->resolved[sym->id])
		s->resolved[sym->id] =
			piece_new(&s->pieces, sym, n.start, n.size_bytes);
	return s->resolved[sym->id];
}

static struct piece *find_user(struct pw_space *s, uint32_t pid, uint64_t addr,
			       uint64_t time_ns, struct pw_place *place)
{
	struct proc *proc = proc_find(s, pid);
	const struct map *m = proc_map(proc, addr);
	struct piece *p = NULL;

	if (!proc && s->any_jit)
		proc = proc_get(s, pid);
	if (proc && proc->has_jit)
		p = from_jit(s, proc, m, addr, time_ns, place);
	if (!p && (!m || !m->dso->is_file))
		p = artifact_left_out(s, pid, addr, &place->off);
	if (!p && m && m->dso->is_file) {
		p = dso_piece(s, m->dso, addr - m->start + m->pgoff,
			      &place->off);
		if (s->run_bytes > m->end - addr)
			s->run_bytes = m->end - addr;
		if (proc->has_jit) /* code may lie over it */
			s->run_bytes = 0;
		return p;
	}
	if (!p && proc && jit_look_for_map(s, proc))
		p = from_jit(s, proc, m, addr, time_ns, place);
	if (!p)
		p = from_resolver(s, pid, addr, &place->off);
	if (!p && m)
		p = dso_piece(s, m->dso, addr - m->start + m->pgoff,
			      &place->off);
	s->run_bytes = 0;
	return p;
}

static struct piece *find_kernel(struct pw_space *s, uint64_t addr,
				 uint64_t *off)
{
	struct piece *p = s->resolver ? from_resolver(s, 0, addr, off) : NULL;

	return p ? p : kernel_piece(s, addr, off);
}

static void find(struct pw_space *s, uint32_t pid, unsigned int cpumode,
		 uint64_t addr, uint64_t time_ns, struct pw_place *place)
{
	struct piece *p = NULL;

	*place = (struct pw_place){ .off = addr, .to_ns = PW_NO_TIME };
	s->run_bytes = 0;
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL:
		p = find_kernel(s, addr, &place->off);
		break;
	case PERF_RECORD_MISC_HYPERVISOR:
		p = unknown_in(s, PW_PLACE_HYPERVISOR, "[hypervisor]");
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		p = unknown_in(s, PW_PLACE_KERNEL, "[guest.kernel]");
		break;
	case PERF_RECORD_MISC_GUEST_USER:
		p = unknown_in(s, PW_PLACE_UNKNOWN, "[guest]");
		break;
	default:
		p = find_user(s, pid, addr, time_ns, place);
	}
	if (!p)
		p = s->unknown;
	place->piece = &p->pub;
}

/* --- many ------------------------------------------------------------------------------- */

uint32_t pw_space_generation(const struct pw_space *s, uint32_t pid)
{
	/* near_procs is a cache: finding does not change the space */
	const struct proc *p = proc_find((struct pw_space *)s, pid);

	return (p ? p->gen : 0) + s->jit_gen + s->kernel.gen;
}

static struct cache_entry *entry_of(struct pw_space *s, uint32_t pid,
				    uint64_t addr)
{
	uint64_t h = (addr ^ (uint64_t)pid << 40) * 0x9e3779b97f4a7c15u;

	return &s->cache[h >> (64 - CACHE_BITS)];
}

void pw_space_find_run(struct pw_space *s, uint32_t pid, unsigned int cpumode,
		       uint64_t addr, uint64_t time_ns, struct pw_place *place,
		       uint64_t *end)
{
	find(s, pid, cpumode & PERF_RECORD_MISC_CPUMODE_MASK, addr, time_ns,
	     place);
	*end = addr + (s->run_bytes ? s->run_bytes : 1);
}

void pw_space_find(struct pw_space *s, uint32_t pid, unsigned int cpumode,
		   uint64_t addr, uint64_t time_ns, struct pw_place *place)
{
	struct cache_entry *e;
	uint32_t gen;

	cpumode &= PERF_RECORD_MISC_CPUMODE_MASK;
	if (cpumode != PERF_RECORD_MISC_USER &&
	    cpumode != PERF_RECORD_MISC_CPUMODE_UNKNOWN) {
		pid = 0xfffffff0u + cpumode;
		gen = s->kernel.gen;
	} else {
		gen = pw_space_generation(s, pid);
	}
	e = entry_of(s, pid, addr);
	if (!e->piece || e->addr != addr || e->pid != pid || e->gen != gen ||
	    time_ns < e->from_ns ||
	    (time_ns >= e->to_ns && e->to_ns != PW_NO_TIME)) {
		find(s, pid, cpumode, addr, time_ns, place);
		e->addr = addr;
		e->pid = pid;
		e->gen = gen;
		e->from_ns = place->from_ns;
		e->to_ns = place->to_ns;
		e->off = place->off;
		e->piece = place->piece;
		return;
	}
	*place = (struct pw_place){ e->piece, e->off, e->from_ns, e->to_ns };
}
