// SPDX-License-Identifier: GPL-2.0-only
/*
 * Spans of text: lines, words and numbers are taken off their front. A text
 * may be anything: what is not as expected is nothing, never an error.
 */
#include "system-impl.h"

bool span_starts(struct span a, const char *s)
{
	size_t n = strlen(s);

	return a.n >= n && !memcmp(a.s, s, n);
}

bool span_ends(struct span a, const char *s)
{
	size_t n = strlen(s);

	return a.n >= n && !memcmp(a.s + a.n - n, s, n);
}

static void skip(struct span *s, uint32_t n)
{
	s->s += n;
	s->n -= n;
}

bool take_until(struct span *line, char c, struct span *before)
{
	const char *at = line->n ? memchr(line->s, c, line->n) : NULL;
	struct span found = NO_SPAN;

	if (at) {
		found = (struct span){ line->s, (uint32_t)(at - line->s) };
		skip(line, found.n + 1);
	}
	if (at || before != line)
		*before = found;
	return at;
}

bool take_line(struct span *text, struct span *line)
{
	struct span all = *text;

	if (take_until(text, '\n', line))
		return true;
	skip(text, text->n);
	*line = all;
	return all.n > 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool take_word(struct span *line, struct span *word)
{
	struct span all;
	uint32_t from = 0, to;

	while (from < line->n && is_blank(line->s[from]))
		from++;
	for (to = from; to < line->n && !is_blank(line->s[to]);)
		to++;
	all = (struct span){ line->s + from, to - from };
	skip(line, to);
	*word = all; /* the two may be one */
	return to > from;
}

bool span_number(struct span word, uint64_t *v)
{
	bool minus = word.n && *word.s == '-';
	uint64_t x = 0;

	*v = 0;
	if (word.n == minus)
		return false;
	for (uint32_t i = minus; i < word.n; i++) {
		unsigned int digit = (unsigned int)(word.s[i] - '0');

		if (digit > 9)
			return false;
		x = x * 10 + digit;
	}
	*v = minus ? -x : x;
	return true;
}

uint32_t take_numbers(struct span *line, uint64_t *v, uint32_t n)
{
	struct span rest = *line, word;
	uint32_t i = 0;

	memset(v, 0, n * sizeof(*v));
	while (i < n && take_word(&rest, &word) && span_number(word, &v[i])) {
		i++;
		*line = rest;
	}
	return i;
}

struct span join(struct joined *j, struct span a, const char *between,
		 struct span b)
{
	struct span parts[] = { a, { between, (uint32_t)strlen(between) }, b };

	j->n = 0;
	for (size_t i = 0; i < 3; i++) {
		uint32_t left = (uint32_t)sizeof(j->s) - j->n;
		uint32_t n = parts[i].n < left ? parts[i].n : left;

		memcpy(j->s + j->n, parts[i].s, n);
		j->n += n;
	}
	return (struct span){ j->s, j->n };
}

void sink_value(const struct sink *k, enum table table, struct span instance,
		struct span metric, uint64_t value)
{
	k->row(k->ctx, table, instance, metric, &value);
}
