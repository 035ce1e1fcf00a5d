// SPDX-License-Identifier: GPL-2.0-only
/*
 * A triage as one line, for a journal: items apart by ';', their parts by ',',
 * names percent-encoded.
 *	t,cpu,wall,runs,samples,ready,threads,has_calls
 *	k,KIND,ns	y,NAME,LIBRARY,KIND,ns	c,NAME,n,ns,n_waits,wait_ns
 *	b,ns of a lower tier	r,REMARK
 */
#include "triage-impl.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 10

void pw_triage_release(struct pw_triage *t)
{
	for (size_t i = 0; i < t->n_symbols; i++) {
		free(t->symbols[i].name);
		free(t->symbols[i].library);
	}
	for (size_t i = 0; i < t->n_calls; i++)
		free(t->calls[i].name);
	free(t->symbols);
	free(t->calls);
	free(t->remark);
	memset(t, 0, sizeof(*t));
}

/* --- out --------------------------------------------------------------------- */

static void add_name(struct pw_buf *out, const char *s)
{
	pw_buf_add_u8(out, ',');
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= 0x20 || c == 0x7f || strchr(";,%", c))
			pw_buf_printf(out, "%%%02x", c);
		else
			pw_buf_add_u8(out, c);
	}
}

static void add_number(struct pw_buf *out, uint64_t n)
{
	pw_buf_printf(out, ",%llu", (unsigned long long)n);
}

void pw_triage_print(const struct pw_triage *t, struct pw_buf *out)
{
	pw_buf_printf(out, "t,%llu,%llu,%llu,%llu,%llu,%u,%d",
		      (unsigned long long)t->cpu_ns,
		      (unsigned long long)t->wall_ns,
		      (unsigned long long)t->n_runs,
		      (unsigned long long)t->n_samples,
		      (unsigned long long)t->ready_ns, t->n_threads,
		      t->has_calls);
	for (int k = 0; k < PW_N_SPENT; k++)
		pw_buf_printf(out, ";k,%s,%llu", pw_spent_name(k),
			      (unsigned long long)t->spent_ns[k]);
	for (size_t i = 0; i < t->n_symbols; i++) {
		pw_buf_printf(out, ";y");
		add_name(out, t->symbols[i].name);
		add_name(out, t->symbols[i].library);
		add_name(out, pw_spent_name(t->symbols[i].spent));
		add_number(out, t->symbols[i].ns);
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		pw_buf_printf(out, ";c");
		add_name(out, t->calls[i].name);
		add_number(out, t->calls[i].n);
		add_number(out, t->calls[i].ns);
		add_number(out, t->calls[i].n_waits);
		add_number(out, t->calls[i].wait_ns);
	}
	if (t->baseline_ns)
		pw_buf_printf(out, ";b,%llu",
			      (unsigned long long)t->baseline_ns);
	if (t->remark) {
		pw_buf_printf(out, ";r");
		add_name(out, t->remark);
	}
}

/* --- in ------------------------------------------------------------------------ */

struct item {
	char *part[PARTS_MAX];
	size_t n;
};

static void split(struct item *it, char *s)
{
	it->n = 0;
	while (s && it->n < PARTS_MAX)
		it->part[it->n++] = strsep(&s, ",");
}

static char *name_at(const struct item *it, size_t i)
{
	const char *s = it->part[i];
	char *name = pw_strdup(s), *to = name;
	char hex[3] = "";

	for (; *s; s++) {
		if (*s == '%' && isxdigit((unsigned char)s[1]) &&
		    isxdigit((unsigned char)s[2])) {
			memcpy(hex, s + 1, 2);
			*to++ = (char)strtoul(hex, NULL, 16);
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = 0;
	return name;
}

static uint64_t number_at(const struct item *it, size_t i)
{
	return strtoull(it->part[i], NULL, 10);
}

static enum pw_spent spent_find(const char *name)
{
	unsigned k = 0;

	while (k < PW_N_SPENT && strcmp(pw_spent_name(k), name))
		k++;
	return k;
}

static bool take_head(struct pw_triage *t, const struct item *it)
{
	if (it->n < 8)
		return false;
	t->cpu_ns = number_at(it, 1);
	t->wall_ns = number_at(it, 2);
	t->n_runs = number_at(it, 3);
	t->n_samples = number_at(it, 4);
	t->ready_ns = number_at(it, 5);
	t->n_threads = (uint32_t)number_at(it, 6);
	t->has_calls = number_at(it, 7);
	return true;
}

static bool take_kind(struct pw_triage *t, const struct item *it)
{
	enum pw_spent k = it->n < 3 ? PW_N_SPENT : spent_find(it->part[1]);

	if (k < PW_N_SPENT)
		t->spent_ns[k] = number_at(it, 2);
	return it->n >= 3;
}

static bool take_symbol(struct pw_triage *t, const struct item *it)
{
	struct pw_triage_symbol *s;

	if (it->n < 5)
		return false;
	t->symbols = pw_realloc(t->symbols,
				(t->n_symbols + 1) * sizeof(*t->symbols));
	s = &t->symbols[t->n_symbols++];
	*s = (struct pw_triage_symbol){ name_at(it, 1), name_at(it, 2),
					spent_find(it->part[3]),
					number_at(it, 4) };
	if (s->spent == PW_N_SPENT)
		s->spent = PW_SPENT_OTHER;
	return true;
}

static bool take_call(struct pw_triage *t, const struct item *it)
{
	if (it->n < 6)
		return false;
	t->calls = pw_realloc(t->calls, (t->n_calls + 1) * sizeof(*t->calls));
	t->calls[t->n_calls++] = (struct pw_triage_call){
		name_at(it, 1),   number_at(it, 2), number_at(it, 3),
		number_at(it, 4), number_at(it, 5),
	};
	return true;
}

static bool take(struct pw_triage *t, const struct item *it)
{
	if (!it->n || !it->part[0][0] || it->part[0][1])
		return false;
	switch (it->part[0][0]) {
	case 't':
		return take_head(t, it);
	case 'k':
		return take_kind(t, it);
	case 'y':
		return take_symbol(t, it);
	case 'c':
		return take_call(t, it);
	case 'b':
		t->baseline_ns = it->n < 2 ? 0 : number_at(it, 1);
		return it->n >= 2;
	case 'r':
		if (it->n < 2 || t->remark)
			return false;
		t->remark = name_at(it, 1);
		return true;
	default:
		return true; /* of a newer release */
	}
}

int pw_triage_parse(struct pw_triage *t, const char *line, struct pw_err *err)
{
	char *copy = pw_strdup(line), *rest = copy, *s;
	bool ok = !strncmp(line, "t,", 2);
	struct item it;

	memset(t, 0, sizeof(*t));
	while (ok && (s = strsep(&rest, ";"))) {
		split(&it, s);
		ok = take(t, &it);
	}
	free(copy);
	if (ok)
		return 0;
	pw_triage_release(t);
	return pw_err_set(err, EINVAL, "expected a triage as text, found %.60s",
			  line);
}
