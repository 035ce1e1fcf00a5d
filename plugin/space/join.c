// SPDX-License-Identifier: GPL-2.0-only
/*
 * Modules: which of them a function is from, by its index and, where the name
 * that a runtime wrote and the module's can be compared, by that. Runtimes cut
 * and change names, so a name decides between modules, never within one.
 */
#include <stdlib.h>
#include <string.h>

#include "space-impl.h"

int pw_space_add_module(struct pw_space *s, const char *path,
			struct pw_err *err)
{
	struct module m = { 0 };
	const char *slash = strrchr(path, '/');
	int ret = pw_file_open(&m.file, path, err);

	if (ret)
		return ret;
	m.m = pw_module_decode(m.file.data, m.file.size, err);
	if (!m.m) {
		ret = err && err->code ? -err->code : -22;
		pw_err_prefix(err, "%s", path);
		pw_file_close(&m.file);
		return ret;
	}
	m.path = pw_strdup(path);
	m.name = pw_strdup(slash ? slash + 1 : path);
	m.n_imported = pw_module_n_imported(m.m, PW_EXT_FUNC);
	s->modules = pw_realloc(s->modules,
				(s->n_modules + 1) * sizeof(*s->modules));
	s->modules[s->n_modules] = m;
	return (int)s->n_modules++;
}

uint32_t pw_space_n_modules(const struct pw_space *s)
{
	return s->n_modules;
}

const struct pw_module *pw_space_module(const struct pw_space *s, int module)
{
	return module >= 0 && (uint32_t)module < s->n_modules
		       ? s->modules[module].m
		       : NULL;
}

const char *pw_space_module_name(const struct pw_space *s, int module)
{
	return module >= 0 && (uint32_t)module < s->n_modules
		       ? s->modules[module].name
		       : NULL;
}

const char *pw_space_module_path(const struct pw_space *s, int module)
{
	return pw_space_module(s, module) ? s->modules[module].path : NULL;
}

/* --- names that agree ------------------------------------------------------------- */

static bool is_plain(char c)
{
	return c > ' ' && c < 0x7f && c != '?';
}

/*
 * Whether a runtime may have written `text` for `name`: what is no graphic
 * character becomes one '?', and long names are cut.
 */
static bool names_agree(const char *text, size_t len, const char *name)
{
	size_t i = 0;

	while (i < len && *name) {
		if (is_plain(text[i]) && is_plain(*name)) {
			if (text[i++] != *name++)
				return false;
			continue;
		}
		if (is_plain(text[i]) || is_plain(*name))
			return false;
		while (i < len && !is_plain(text[i]))
			i++;
		while (*name && !is_plain(*name))
			name++;
	}
	return i == len && (!*name || len >= 64);
}

/* wazero writes MODULE.NAME, and either may have dots in it. */
static bool any_end_agrees(const char *text, size_t len, const char *name)
{
	const char *dot;

	while ((dot = memchr(text, '.', len))) {
		len -= (size_t)(dot + 1 - text);
		text = dot + 1;
		if (names_agree(text, len, name))
			return true;
	}
	return false;
}

enum verdict { OTHER, PERHAPS, AGREES };

static enum verdict judge(const struct module *m, const struct pw_jit_name *n)
{
	int64_t idx = pw_jit_name_func_idx(n, m->n_imported);
	char name[512];

	if (idx < 0)
		return PERHAPS;
	if (idx < m->n_imported || idx >= pw_module_n(m->m, PW_EXT_FUNC))
		return OTHER;
	pw_module_func_name(m->m, (uint32_t)idx, name, sizeof(name));
	if (!n->text_len || !*name)
		return PERHAPS;
	if (names_agree(n->text, n->text_len, name) ||
	    (n->engine == PW_ENGINE_WAZERO &&
	     any_end_agrees(n->text, n->text_len, name)))
		return AGREES;
	return OTHER;
}

int32_t join_best(struct pw_space *s, const struct pw_jit_name *names,
		  uint32_t n)
{
	int64_t best_score = INT64_MIN;
	int32_t best = -1;
	uint32_t m, i;

	for (m = 0; m < s->n_modules; m++) {
		int64_t score = 0;

		for (i = 0; i < n; i++)
			score += (int)judge(&s->modules[m], &names[i]) - 1;
		if (score < 0 || score < best_score)
			continue;
		/* two that fit alike: nobody knows */
		best = score == best_score ? -1 : (int32_t)m;
		best_score = score;
	}
	return best;
}

/* --- the module of a group of code ----------------------------------------------------- */

static struct group *group_get(struct pw_space *s, uint32_t pid,
			       const struct pw_jit_name *n)
{
	struct group *g;
	uint32_t i;

	for (i = 0; i < s->n_groups; i++) {
		g = &s->groups[i];
		if (g->pid == pid && g->engine == n->engine &&
		    g->module_idx == n->module_idx)
			return g;
	}
	if (!(s->n_groups & (s->n_groups - 1)))
		s->groups = pw_realloc(s->groups,
				       (s->n_groups ? 2 * s->n_groups : 1) *
					       sizeof(*g));
	g = &s->groups[s->n_groups++];
	*g = (struct group){ pid, n->engine, n->module_idx, UINT32_MAX, -1 };
	return g;
}

/* All names of the group, of the code that is known by now. */
static void decide(struct pw_space *s, struct group *g)
{
	uint32_t n = pw_jitmap_n_codes(s->jitmap), i, n_names = 0;
	struct pw_jit_name *names;

	if (g->n_codes == n)
		return;
	g->n_codes = n;
	names = pw_alloc((n + 1) * sizeof(*names));
	for (i = 0; i < n; i++) {
		const struct pw_jit_code *c = pw_jitmap_code(s->jitmap, i);
		struct pw_jit_name *name = &names[n_names];

		if (c->pid != g->pid)
			continue;
		pw_jit_name_parse(name, c->name, strlen(c->name), PW_NAME_JIT);
		n_names += name->kind == PW_KIND_WASM &&
			   name->engine == g->engine &&
			   name->module_idx == g->module_idx;
	}
	g->module = join_best(s, names, n_names);
	free(names);
}

static int32_t choose(struct pw_space *s, uint32_t pid,
		      const struct pw_jit_name *n)
{
	int32_t only[3] = { -1, -1, -1 }, best;
	uint32_t count[3] = { 0 }, i;
	struct group *g;

	for (i = 0; i < s->n_modules; i++) {
		enum verdict v = judge(&s->modules[i], n);

		count[v]++;
		only[v] = (int32_t)i;
	}
	if (count[AGREES] == 1)
		return only[AGREES];
	if (count[AGREES] + count[PERHAPS] == 0)
		return -1;
	if (s->n_modules == 1)
		return 0;
	if (!pid)
		return -1;
	g = group_get(s, pid, n);
	decide(s, g);
	best = g->module;
	return best >= 0 && judge(&s->modules[best], n) != OTHER ? best : -1;
}

/* --- names and indexes ------------------------------------------------------------------- */

static void index_names(struct module *m)
{
	uint32_t i, n = pw_module_n(m->m, PW_EXT_FUNC);
	char name[512];

	m->has_by_name = true;
	for (i = m->n_imported; i < n; i++) {
		struct name_slot *slot;
		size_t len;

		pw_module_func_name(m->m, i, name, sizeof(name));
		len = strlen(name);
		if (!len)
			continue;
		HASH_FIND(hh, m->by_name, name, len, slot);
		if (slot) {
			slot->func_idx = -1;
			continue;
		}
		slot = pw_zalloc(sizeof(*slot));
		slot->name = pw_strdup(name);
		slot->func_idx = i;
		HASH_ADD_KEYPTR(hh, m->by_name, slot->name, len, slot);
	}
}

/* Of a runtime that tells a whole name and no index. */
static int64_t index_of_name(struct module *m, const char *text, size_t len)
{
	struct name_slot *slot;

	if (!len)
		return -1;
	if (!m->has_by_name)
		index_names(m);
	HASH_FIND(hh, m->by_name, text, len, slot);
	return slot ? slot->func_idx : -1;
}

static void set_name(struct pw_space *s, struct symbol_key *k,
		     const struct pw_jit_name *n)
{
	const char *text = n->text;
	size_t len = n->text_len;
	char *plain;

	if (n->engine == PW_ENGINE_WAZERO && len > 1 && *text == '.') {
		text++;
		len--;
	}
	*s->name = 0;
	if (k->module >= 0 && k->func_idx >= 0)
		pw_module_func_name(s->modules[k->module].m,
				    (uint32_t)k->func_idx, s->name,
				    sizeof(s->name));
	if (!*s->name && len)
		snprintf(s->name, sizeof(s->name), "%.*s", (int)len, text);
	if (!*s->name && k->func_idx >= 0)
		snprintf(s->name, sizeof(s->name), "f%lld",
			 (long long)k->func_idx);
	if (!*s->name)
		snprintf(s->name, sizeof(s->name), "%s", k->raw_name);
	plain = pw_demangle(s->name);
	if (plain)
		snprintf(s->name, sizeof(s->name), "%s", plain);
	free(plain);
	k->name = s->name;
}

/* Where no module is known, those of two processes are not the same. */
static void set_dso(struct pw_space *s, struct symbol_key *k, uint32_t pid,
		    const struct pw_jit_name *n)
{
	if (k->module >= 0 || !pid)
		return;
	if (n->module_idx > 0)
		snprintf(s->dso_name, sizeof(s->dso_name),
			 "[JIT] pid %u module %lld", pid,
			 (long long)n->module_idx);
	else
		snprintf(s->dso_name, sizeof(s->dso_name), "[JIT] pid %u", pid);
	k->dso = s->dso_name;
}

void join_name(struct pw_space *s, struct symbol_key *k, uint32_t pid,
	       const struct pw_jit_name *n, int32_t module)
{
	k->module = module >= 0 ? module : choose(s, pid, n);
	k->func_idx = n->is_local_idx ? -1 : n->func_idx;
	if (k->module >= 0) {
		struct module *m = &s->modules[k->module];

		k->func_idx = pw_jit_name_func_idx(n, m->n_imported);
		if (k->func_idx < 0)
			k->func_idx = index_of_name(m, n->text, n->text_len);
		if (k->func_idx >= pw_module_n(m->m, PW_EXT_FUNC))
			k->func_idx = -1;
		if (k->func_idx < 0)
			k->module = -1;
	}
	set_name(s, k, n);
	set_dso(s, k, pid, n);
}

void join_release(struct pw_space *s)
{
	uint32_t i;

	for (i = 0; i < s->n_modules; i++) {
		struct module *m = &s->modules[i];
		struct name_slot *slot, *next;

		HASH_ITER (hh, m->by_name, slot, next) {
			HASH_DEL(m->by_name, slot);
			free(slot->name);
			free(slot);
		}
		pw_module_free(m->m);
		pw_file_close(&m->file);
		free(m->name);
		free(m->path);
	}
	free(s->modules);
	free(s->groups);
}
