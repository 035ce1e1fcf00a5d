/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile of a few pushed samples, and what an exporter writes of it. */
#ifndef TESTS_SAMPLED_H
#define TESTS_SAMPLED_H

#include <perfwasm/export.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

struct sampled {
	struct pw_space *space;
	struct pw_profile *profile;
	struct pw_exporter *x;
	uint32_t cycles, misses;
};

/* Addresses of functions with names of our choice. */
static inline bool known_function(void *ctx, uint32_t pid, uint64_t addr,
				  struct pw_native *out)
{
	static const char *const names[] = { "zero", "outer;1", "inner",
					     "quo\"te\\ \xff\x01" };

	(void)ctx;
	(void)pid;
	if (addr >= 0x4000)
		return false;
	*out = (struct pw_native){ .name = names[addr >> 12],
				   .dso = "/lib/made up.so",
				   .off = addr & 0xfff,
				   .start = addr & ~0xfffULL,
				   .size_bytes = 0x1000 };
	return true;
}

static inline void push(struct sampled *s, uint32_t event, uint32_t tid,
			uint64_t time_ns, uint64_t period,
			const uint64_t *chain, uint64_t n)
{
	pw_profile_push(s->profile,
			&(struct pw_push){
				.event = event,
				.pid = 10,
				.tid = tid,
				.cpu = 1,
				.time_ns = time_ns,
				.ip = chain[0],
				.period = period,
				.cpumode = PERF_RECORD_MISC_USER,
				.comm = tid == 10 ? "main" : "helper",
				.callchain = chain,
				.n_callchain = n,
			});
}

/* Five samples: three of inner below outer;1, one of the odd name, and one of
 * another event. */
static inline void sampled_init(struct sampled *s, enum pw_export_form form)
{
	static const uint64_t inner[] = { 0x2010, 0x1010 };
	static const uint64_t odd[] = { 0x3010 };
	struct pw_profile_opts o = { 0 };

	s->space = pw_space_new(&(struct pw_space_opts){ .no_local = true });
	pw_space_set_resolver(s->space, known_function, NULL);
	s->x = pw_exporter_new(form, &o);
	s->profile = pw_profile_new(s->space, &o);
	s->cycles = pw_profile_add_event(s->profile, "cycles");
	s->misses = pw_profile_add_event(s->profile, "cache-misses");
	push(s, s->cycles, 10, 1000000, 100, inner, 2);
	push(s, s->cycles, 10, 2000000, 100, inner, 2);
	push(s, s->cycles, 11, 2500000, 50, inner, 2);
	push(s, s->cycles, 10, 3000000, 7, odd, 1);
	push(s, s->misses, 10, 3500000, 1, odd, 1);
	pw_profile_end(s->profile, NULL);
}

static inline void sampled_release(struct sampled *s)
{
	pw_profile_free(s->profile);
	pw_space_free(s->space);
	pw_exporter_free(s->x);
}

/* What is written; the caller frees. */
static inline char *written(struct sampled *s, const struct pw_exporter_opts *o,
			    size_t *size)
{
	struct pw_err err;
	char *text = NULL;
	FILE *to = open_memstream(&text, size);
	int ret = pw_exporter_write(s->x, s->profile, o, to, &err);

	fclose(to);
	if (ret) {
		free(text);
		return NULL;
	}
	return text;
}

static inline char *written_as(enum pw_export_form form, size_t *size)
{
	struct sampled s;
	char *text;

	sampled_init(&s, form);
	text = written(&s, NULL, size);
	sampled_release(&s);
	return text;
}

#endif
