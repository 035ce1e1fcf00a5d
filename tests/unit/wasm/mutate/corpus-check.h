/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * corpus-check: judges a mutant without any of our own readers: Wasmtime's
 * validator, loaded when it is there, and a byte comparison with sections
 * and bodies cut by a reader of this file's own.
 */
#ifndef CORPUS_CHECK_H
#define CORPUS_CHECK_H

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfwasm/mutate.h>

/* --- Wasmtime, by the documented names of its C API ------------------------- */

struct byte_vec {
	size_t size;
	char *data;
};

struct validator {
	void *lib, *engine;
	void *(*validate)(void *engine, const uint8_t *bytes, size_t size);
	void (*message)(const void *error, struct byte_vec *out);
	void (*free_error)(void *error);
	void (*free_vec)(struct byte_vec *vec);
};

/* The library named by PERF_WASM_LIBWASMTIME, else the newest one fetched
 * into the cache; the caller frees. NULL when there is none. */
static inline char *find_library(void)
{
	static const char *const places[] = { "/libwasmtime.so",
					      "/*/libwasmtime.so",
					      "/*/*/libwasmtime.so",
					      "/*/*/_libwasmtime.so" };
	const char *named = getenv("PERF_WASM_LIBWASMTIME");
	char *cache, *best = NULL;

	if (named && *named)
		return pw_strdup(named);
	cache = pw_cache_dir();
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char *pattern = pw_asprintf("%s/runtimes/wasmtime@*%s", cache,
					    places[i]);
		glob_t g;

		if (!glob(pattern, 0, NULL, &g)) {
			for (size_t j = 0; j < g.gl_pathc; j++) {
				if (best && strverscmp(best, g.gl_pathv[j]) > 0)
					continue;
				free(best);
				best = pw_strdup(g.gl_pathv[j]);
			}
			globfree(&g);
		}
		free(pattern);
	}
	free(cache);
	return best;
}

static inline void set_feature(void *lib, void *config, const char *name)
{
	char *symbol = pw_asprintf("wasmtime_config_wasm_%s_set", name);
	void (*set)(void *, bool) = dlsym(lib, symbol);

	if (set)
		set(config, true);
	free(symbol);
}

static inline bool load_validator(struct validator *v, const char *path)
{
	static const char *const features[] = {
		"simd",         "relaxed_simd",     "threads",
		"multi_memory", "memory64",         "tail_call",
		"exceptions",   "wide_arithmetic",  "reference_types",
		"bulk_memory",  "multi_value",      "function_references",
		"gc",           "custom_page_sizes"
	};
	void *(*new_config)(void), *(*new_engine)(void *);
	void *config;

	*v = (struct validator){ .lib = dlopen(path, RTLD_NOW | RTLD_LOCAL) };
	if (!v->lib)
		return false;
	new_config = dlsym(v->lib, "wasm_config_new");
	new_engine = dlsym(v->lib, "wasm_engine_new_with_config");
	v->validate = dlsym(v->lib, "wasmtime_module_validate");
	v->message = dlsym(v->lib, "wasmtime_error_message");
	v->free_error = dlsym(v->lib, "wasmtime_error_delete");
	v->free_vec = dlsym(v->lib, "wasm_byte_vec_delete");
	if (!new_config || !new_engine || !v->validate || !v->message ||
	    !v->free_error || !v->free_vec)
		return false;
	config = new_config();
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		set_feature(v->lib, config, features[i]);
	v->engine = new_engine(config);
	return v->engine;
}

/* NULL when valid, else Wasmtime's sentence; the caller frees. */
static inline char *validator_judge(const struct validator *v,
				    const uint8_t *bytes, size_t size)
{
	void *error = v->validate(v->engine, bytes, size);
	struct byte_vec vec;
	char *text;

	if (!error)
		return NULL;
	v->message(error, &vec);
	text = pw_strndup(vec.data, vec.size);
	v->free_vec(&vec);
	v->free_error(error);
	return text;
}

/* --- the byte comparison ------------------------------------------------------ */

struct raw {
	const uint8_t *p, *end;
};

static inline uint64_t raw_uleb(struct raw *r)
{
	uint64_t v = 0;
	unsigned shift = 0;

	while (r->p < r->end && shift < 35) {
		uint8_t b = *r->p++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
		shift += 7;
	}
	r->end = r->p = NULL;
	return 0;
}

/* A field of bytes with its size before it. */
static inline struct raw raw_sized(struct raw *r)
{
	uint64_t size = raw_uleb(r);
	struct raw part = { NULL, NULL };

	if (!r->p || size > (uint64_t)(r->end - r->p))
		return part;
	part = (struct raw){ r->p, r->p + size };
	r->p += size;
	return part;
}

static inline size_t raw_left(const struct raw *r)
{
	return (size_t)(r->end - r->p);
}

static inline bool raw_same(const struct raw *a, const struct raw *b)
{
	return raw_left(a) == raw_left(b) && a->p && b->p &&
	       !memcmp(a->p, b->p, raw_left(a));
}

/* Is `b` the body `a` with the mutation's bytes in their place? */
static inline bool raw_spliced(const struct raw *a, const struct raw *b,
			       const uint8_t *base,
			       const struct pw_mutation *mut)
{
	const uint8_t *at = base + mut->off;
	size_t before = (size_t)(at - a->p);
	size_t after = (size_t)(a->end - at) - mut->old_size;

	return at >= a->p && at + mut->old_size <= a->end &&
	       raw_left(b) == before + mut->new_size + after &&
	       !memcmp(b->p, a->p, before) &&
	       !memcmp(b->p + before, mut->new_bytes, mut->new_size) &&
	       !memcmp(b->p + before + mut->new_size, at + mut->old_size,
		       after);
}

static inline const char *code_differs(struct raw a, struct raw b,
				       const uint8_t *base, uint32_t body_idx,
				       const struct pw_mutation *mut)
{
	uint64_t n = raw_uleb(&a);

	if (raw_uleb(&b) != n)
		return "another number of bodies";
	for (uint64_t i = 0; i < n; i++) {
		struct raw x = raw_sized(&a), y = raw_sized(&b);

		if (i == body_idx) {
			if (!raw_spliced(&x, &y, base, mut))
				return "more or less than the change";
		} else if (!raw_same(&x, &y)) {
			return "another body";
		}
	}
	return raw_left(&a) || raw_left(&b) ? "bytes after the bodies" : NULL;
}

/* NULL when `b` is `a` but for the change and the size fields, else what
 * else is different. */
static inline const char *mutant_differs(const uint8_t *a, size_t a_size,
					 const uint8_t *b, size_t b_size,
					 uint32_t body_idx,
					 const struct pw_mutation *mut)
{
	struct raw x = { a + 8, a + a_size }, y = { b + 8, b + b_size };
	const char *why = NULL;

	if (a_size < 8 || b_size < 8 || memcmp(a, b, 8))
		return "the header";
	while (!why && raw_left(&x) && raw_left(&y)) {
		uint8_t id = *x.p++;
		struct raw s, t;

		if (*y.p++ != id)
			return "a section's id";
		s = raw_sized(&x);
		t = raw_sized(&y);
		if (id == 10)
			why = code_differs(s, t, a, body_idx, mut);
		else if (!raw_same(&s, &t))
			why = "another section";
	}
	return why ? why
		   : (raw_left(&x) || raw_left(&y) ? "the last section" : NULL);
}

#endif
