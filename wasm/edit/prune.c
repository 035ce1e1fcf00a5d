// SPDX-License-Identifier: GPL-2.0-only
/*
 * A module without what nothing in it uses: first what is used, from the
 * exports that are wanted on, then new numbers, then the sections again.
 */
#include "prune.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sections.h"

bool prune_is_active(const struct segment *s)
{
	return !(s->flags & 1);
}

void prune_use(struct prune *p, enum space space, uint32_t idx)
{
	if (idx >= p->n[space] || p->used[space][idx])
		return;
	p->used[space][idx] = true;
	if (space == SP_FUNC)
		p->todo[p->n_todo++] = idx;
}

bool prune_wants_export(const struct prune *p, const struct pw_export *e)
{
	for (const char *const *name = p->exports; *name; name++)
		if (strlen(*name) == e->name.len &&
		    !memcmp(*name, e->name.s, e->name.len))
			return true;
	return false;
}

/* One that is a number, vector or abstract reference: a byte. */
static bool plain_types(struct pw_cursor *c)
{
	bool plain = true;

	for (uint32_t n = pw_cursor_uleb32(c); n && !c->failed; n--) {
		uint8_t b = pw_cursor_u8(c);

		plain &= b == 0x70 || b == 0x6f || (b >= 0x7b && b <= 0x7f);
	}
	return plain && !c->failed;
}

/*
 * The number of entries of the type section; types get new numbers only when
 * each entry is a function type of plain types.
 */
static uint32_t count_types(struct prune *p)
{
	for (uint32_t i = 0; i < pw_module_n_sections(p->m); i++) {
		const struct pw_section *s = pw_module_section(p->m, i);
		struct pw_cursor c;
		uint32_t n;

		if (s->id != SEC_TYPE)
			continue;
		section_cursor(p->m, s, &c, NULL);
		n = pw_cursor_uleb32(&c);
		for (uint32_t k = 0; k < n && !p->keep_types; k++)
			p->keep_types = pw_cursor_u8(&c) != 0x60 ||
					!plain_types(&c) || !plain_types(&c);
		return n;
	}
	return 0;
}

static void make_room(struct prune *p)
{
	for (int s = SP_FUNC; s <= SP_TAG; s++)
		p->n[s] = pw_module_n(p->m, (enum pw_extern)s);
	p->n[SP_TYPE] = count_types(p);
	for (int s = 0; s < N_SPACES; s++) {
		p->used[s] = pw_zalloc((size_t)p->n[s] + 1);
		p->to[s] = pw_zalloc(((size_t)p->n[s] + 1) * sizeof(uint32_t));
	}
	p->todo = pw_zalloc(((size_t)p->n[SP_FUNC] + 1) * sizeof(uint32_t));
}

/* Tables, memories and tags go together: instructions name few of them and
 * one that is in use is the common case. */
static void all_or_none(struct prune *p, enum space space)
{
	if (memchr(p->used[space], true, p->n[space]))
		memset(p->used[space], true, p->n[space]);
}

static void number(struct prune *p)
{
	for (int s = 0; s < N_SPACES; s++) {
		uint32_t next = 0;

		for (uint32_t i = 0; i < p->n[s]; i++)
			p->to[s][i] = p->used[s][i] ? next++ : GONE;
	}
}

int pw_edit_prune(const struct pw_module *m, const char *const *exports,
		  struct pw_buf *out, struct pw_err *err)
{
	struct prune p = { .m = m, .exports = exports, .err = err };
	int ret = prune_find_segments(&p);

	if (!ret) {
		make_room(&p);
		ret = prune_mark(&p);
	}
	if (!ret) {
		all_or_none(&p, SP_TABLE);
		all_or_none(&p, SP_MEMORY);
		all_or_none(&p, SP_TAG);
		number(&p);
		ret = prune_write(&p, out);
	}
	for (int s = 0; s < N_SPACES; s++) {
		free(p.used[s]);
		free(p.to[s]);
	}
	free(p.elems);
	free(p.datas);
	free(p.todo);
	return ret;
}
