// SPDX-License-Identifier: GPL-2.0-only
/*
 * Strings and frames by number, as most forms want them, and what a frame is
 * called in all of them.
 */
#include "export-impl.h"

#include <stdlib.h>
#include <string.h>

/* --- strings ---------------------------------------------------------------- */

struct entry {
	char *text;
	uint32_t idx;
	UT_hash_handle hh;
};

struct string_set {
	struct entry *by_text, **at;
	uint32_t n;
};

struct string_set *string_set_new(void)
{
	return pw_zalloc(sizeof(struct string_set));
}

void string_set_free(struct string_set *s)
{
	HASH_CLEAR(hh, s->by_text);
	for (uint32_t i = 0; i < s->n; i++) {
		free(s->at[i]->text);
		free(s->at[i]);
	}
	free(s->at);
	free(s);
}

uint32_t string_set_add(struct string_set *s, const char *text)
{
	struct entry *e;

	HASH_FIND_STR(s->by_text, text, e);
	if (e)
		return e->idx;
	e = pw_zalloc(sizeof(*e));
	e->text = pw_strdup(text);
	e->idx = s->n;
	if (!(s->n & (s->n + 1)))
		s->at = pw_realloc(s->at,
				   2 * (size_t)(s->n + 1) * sizeof(*s->at));
	s->at[s->n++] = e;
	HASH_ADD_KEYPTR(hh, s->by_text, e->text, strlen(e->text), e);
	return e->idx;
}

uint32_t string_set_n(const struct string_set *s)
{
	return s->n;
}

const char *string_set_at(const struct string_set *s, uint32_t i)
{
	return s->at[i]->text;
}

/* --- frames -------------------------------------------------------------------- */

const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool is_unknown(const char *name)
{
	return !*name || !strcmp(name, "[unknown]");
}

char *frame_name(const struct pw_symbol *sym)
{
	const char *file;

	if (!is_unknown(sym->name))
		return pw_visible(sym->name);
	file = file_name(sym->dso);
	if (is_unknown(file))
		return pw_strdup("[unknown]");
	return *file == '[' ? pw_visible(file) : pw_asprintf("[%s]", file);
}

const char *frame_file(const struct pw_profile *p, const struct pw_symbol *sym)
{
	const char *name = NULL;

	if (sym->module >= 0)
		name = pw_space_module_name(pw_profile_space(p), sym->module);
	return name ?: sym->dso;
}

void frames_init(struct frames *f, const struct pw_profile *p)
{
	uint32_t n_syms = pw_space_n_symbols(pw_profile_space(p));
	uint32_t n_nodes = pw_profile_n_nodes(p);
	struct pw_chain_node node;

	f->n = 0;
	f->syms = pw_zalloc((n_syms + 1) * sizeof(*f->syms));
	f->of = pw_alloc((n_syms + 1) * sizeof(*f->of));
	memset(f->of, 0xff, (n_syms + 1) * sizeof(*f->of));
	for (uint32_t i = 1; i < n_nodes; i++) {
		pw_profile_node(p, i, &node);
		if (!node.sym || f->of[node.sym->id] != NONE)
			continue;
		f->of[node.sym->id] = f->n;
		f->syms[f->n++] = node.sym;
	}
}

void frames_release(struct frames *f)
{
	free(f->syms);
	free(f->of);
	memset(f, 0, sizeof(*f));
}

uint32_t frames_of_node(const struct pw_profile *p, uint32_t node,
			const struct pw_symbol **syms, uint32_t max,
			const char **comm)
{
	struct pw_chain_node n;
	uint32_t depth = 0;

	*comm = NULL;
	while (node != PW_CHAIN_ROOT) {
		pw_profile_node(p, node, &n);
		if (!n.sym)
			*comm = n.comm;
		else if (depth < max)
			syms[depth++] = n.sym;
		node = n.parent;
	}
	return depth;
}

/* --- events ---------------------------------------------------------------------- */

static bool begins(const char *s, const char *with)
{
	size_t n = strlen(with);

	return !strncmp(s, with, n) && (!s[n] || s[n] == ':' || s[n] == '/');
}

/* The periods of software clocks are nanoseconds. */
bool event_is_time(const struct pw_profile_event_info *e)
{
	return e->is_off_cpu || begins(e->name, "cpu-clock") ||
	       begins(e->name, "task-clock");
}
