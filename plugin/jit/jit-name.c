// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the name of a piece of code says: the forms of jit-names.def matched
 * against it, each in time linear in its length.
 */
#include <perfwasm/jit.h>

#include <string.h>

enum index_base { INDEX_NONE, INDEX_ALL, INDEX_LOCAL };

static const struct form {
	enum pw_name_source source;
	enum pw_jit_engine engine;
	enum pw_jit_kind kind;
	enum pw_jit_tier tier;
	enum index_base index;
	const char *text;
} forms[] = {
#define PW_ENGINE(id, name)
#define PW_NAME(where, engine, kind, tier, index, form)        \
	{ PW_NAME_##where, PW_ENGINE_##engine, PW_KIND_##kind, \
	  PW_TIER_##tier,  INDEX_##index,      form },
#include <perfwasm/jit-names.def>
#undef PW_NAME
#undef PW_ENGINE
};

const char *pw_jit_engine_name(enum pw_jit_engine e)
{
	static const char *const names[] = {
#define PW_ENGINE(id, name) name,
#define PW_NAME(where, engine, kind, tier, index, form)
#include <perfwasm/jit-names.def>
#undef PW_NAME
#undef PW_ENGINE
	};

	return names[e];
}

const char *pw_jit_kind_name(enum pw_jit_kind k)
{
	static const char *const names[PW_N_KINDS] = {
		"unknown", "wasm", "trampoline", "script", "builtin",
	};

	return names[k];
}

const char *pw_jit_tier_name(enum pw_jit_tier t)
{
	static const char *const names[PW_N_TIERS] = {
		"",       "interpreter", "baseline",
		"middle", "optimized",   "loop entry",
	};

	return names[t];
}

/* --- matching -------------------------------------------------------------------- */

/* What is left of a form and of a name. */
struct match {
	const char *form, *form_end, *p, *end;
	struct pw_jit_name *n;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

static bool is_text(const char *form)
{
	return form[0] == '%' && (form[1] == 's' || form[1] == 'x');
}

/* The digits from p to end as what `letter` stands for. */
static bool set_number(struct pw_jit_name *n, char letter, const char *p,
		       const char *end)
{
	uint64_t v = 0;

	if (p == end)
		return false;
	for (; p < end && v <= UINT32_MAX; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (v > UINT32_MAX)
		return false;
	if (letter == 'f')
		n->func_idx = (int64_t)v;
	else if (letter == 'm')
		n->module_idx = (int64_t)v;
	return true;
}

static void set_text(struct pw_jit_name *n, char letter, const char *p,
		     const char *end)
{
	if (letter != 's')
		return;
	n->text = p;
	n->text_len = end - p;
}

/* Eats letters and numbers from the front up to a text. */
static bool eat_front(struct match *m)
{
	while (m->form < m->form_end && !is_text(m->form)) {
		const char *p = m->p;

		if (*m->form != '%') {
			if (p == m->end || *p != *m->form)
				return false;
			m->p++;
			m->form++;
			continue;
		}
		while (m->p < m->end && is_digit(*m->p))
			m->p++;
		if (!set_number(m->n, m->form[1], p, m->p))
			return false;
		m->form += 2;
	}
	return true;
}

/* "#HASH" at the end. */
static void eat_hash(struct match *m)
{
	const char *p = m->end;

	while (p > m->p && is_word(p[-1]))
		p--;
	if (p < m->end && p > m->p && p[-1] == '#')
		m->end = p - 1;
}

/* The same from the back. */
static bool eat_back(struct match *m)
{
	while (m->form < m->form_end) {
		const char *end = m->end;

		if (m->form_end - m->form < 2 || m->form_end[-2] != '%') {
			if (end == m->p || end[-1] != m->form_end[-1])
				return false;
			m->end--;
			m->form_end--;
			continue;
		}
		if (is_text(m->form_end - 2))
			return true;
		m->form_end -= 2;
		if (m->form_end[1] == 'h') {
			eat_hash(m);
			continue;
		}
		while (m->end > m->p && is_digit(m->end[-1]))
			m->end--;
		if (!set_number(m->n, m->form_end[1], m->end, end))
			return false;
	}
	return true;
}

/* Between two texts: the first place where what separates them fits. */
static bool split_texts(struct match *m)
{
	const char *sep = m->form + 2, *sep_end = m->form_end - 2, *p;

	for (p = m->p; p < m->end; p++) {
		struct match at = { sep, sep_end, p, m->end, m->n };

		p = memchr(p, *sep, m->end - p);
		if (!p)
			return false;
		at.p = p;
		if (!eat_front(&at))
			continue;
		set_text(m->n, m->form[1], m->p, p);
		set_text(m->n, m->form_end[-1], at.p, m->end);
		return true;
	}
	return false;
}

static bool fits(const struct form *f, const char *name, size_t len,
		 struct pw_jit_name *n)
{
	struct match m = { f->text, f->text + strlen(f->text), name, name + len,
			   n };

	if (!eat_front(&m))
		return false;
	if (m.form == m.form_end)
		return m.p == m.end;
	if (!eat_back(&m))
		return false;
	if (m.form_end - m.form > 2)
		return split_texts(&m);
	set_text(n, m.form[1], m.p, m.end);
	return true;
}

/* Most names are told apart by their first letter. */
static bool may_fit(const struct form *f, const char *name, size_t len)
{
	return *f->text == '%' || (len && *name == *f->text);
}

static void clear(struct pw_jit_name *n)
{
	memset(n, 0, sizeof(*n));
	n->func_idx = n->module_idx = -1;
}

void pw_jit_name_parse(struct pw_jit_name *n, const char *name, size_t len,
		       enum pw_name_source source)
{
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const struct form *f = &forms[i];

		if (f->source != source || !may_fit(f, name, len))
			continue;
		clear(n);
		if (!fits(f, name, len, n))
			continue;
		n->engine = f->engine;
		n->kind = f->kind;
		n->tier = f->tier;
		n->is_local_idx = f->index == INDEX_LOCAL;
		return;
	}
	clear(n);
}

int64_t pw_jit_name_func_idx(const struct pw_jit_name *n,
			     uint32_t n_imported_funcs)
{
	int64_t idx = n->func_idx;

	if (idx >= 0 && n->is_local_idx)
		idx += n_imported_funcs;
	return idx > UINT32_MAX ? -1 : idx;
}
