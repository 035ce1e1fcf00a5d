// SPDX-License-Identifier: GPL-2.0-only
/* Texts of /proc and /sys, given to the parsers of plugin/system under the
 * names of their files; and two forms that are APerf's own. */
#include "aperf-impl.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parts of one text, at most: processes, NUMA nodes. */
#define MOST_PARTS 65536

/* --- lines ------------------------------------------------------------------------ */

bool next_line(struct text *rest, struct text *line)
{
	const char *end;

	if (!rest->n)
		return false;
	end = memchr(rest->s, '\n', rest->n);
	line->s = rest->s;
	line->n = end ? (size_t)(end - rest->s) : rest->n;
	rest->s += line->n + (end != NULL);
	rest->n -= line->n + (end != NULL);
	return true;
}

bool next_word(struct text *line, struct text *word)
{
	while (line->n && (*line->s == ' ' || *line->s == '\t')) {
		line->s++;
		line->n--;
	}
	word->s = line->s;
	word->n = 0;
	while (word->n < line->n && line->s[word->n] != ' ' &&
	       line->s[word->n] != '\t')
		word->n++;
	line->s += word->n;
	line->n -= word->n;
	return word->n > 0;
}

char *text_copy(struct text t)
{
	return pw_strndup(t.n ? t.s : "", t.n);
}

bool text_number(struct text t, uint64_t *to)
{
	*to = 0;
	for (size_t i = 0; i < t.n; i++) {
		if (t.s[i] < '0' || t.s[i] > '9' || *to > (UINT64_MAX - 9) / 10)
			return false;
		*to = *to * 10 + (uint64_t)(t.s[i] - '0');
	}
	return t.n > 0;
}

/* --- as they are --------------------------------------------------------------------- */

static int give(struct recording *r, const struct record *x, const char *path,
		struct text t, struct pw_err *err)
{
	struct pw_system_text part = { path, t.s, t.n };

	return pw_system_texts_add(r->texts, x->time_ns, &part, 1, err);
}

int take_stat(struct recording *r, const struct record *x, struct pw_err *err)
{
	return give(r, x, "proc/stat", x->texts[0], err);
}

int take_vmstat(struct recording *r, const struct record *x, struct pw_err *err)
{
	return give(r, x, "proc/vmstat", x->texts[0], err);
}

int take_meminfo(struct recording *r, const struct record *x,
		 struct pw_err *err)
{
	return give(r, x, "proc/meminfo", x->texts[0], err);
}

int take_disks(struct recording *r, const struct record *x, struct pw_err *err)
{
	return give(r, x, "proc/diskstats", x->texts[0], err);
}

int take_interrupts(struct recording *r, const struct record *x,
		    struct pw_err *err)
{
	return give(r, x, "proc/interrupts", x->texts[0], err);
}

int take_netstat(struct recording *r, const struct record *x,
		 struct pw_err *err)
{
	return give(r, x, "proc/net/netstat", x->texts[0], err);
}

int take_memory_pieces(struct recording *r, const struct record *x,
		       struct pw_err *err)
{
	static const char *const paths[] = { "proc/buddyinfo",
					     "proc/pagetypeinfo",
					     "proc/slabinfo" };
	int ret = 0;

	for (uint32_t i = 0; i < 3 && !ret; i++)
		if (x->texts[i].n)
			ret = give(r, x, paths[i], x->texts[i], err);
	return ret;
}

/* --- in parts ------------------------------------------------------------------------ */

struct parts {
	struct pw_system_text *all;
	uint32_t n;
};

/* Takes the path over. */
static void add_part(struct parts *p, char *path, const char *s, size_t n)
{
	p->all = pw_realloc(p->all, (p->n + 1) * sizeof(*p->all));
	p->all[p->n++] = (struct pw_system_text){ path, s, n };
}

static int give_parts(struct recording *r, const struct record *x,
		      struct parts *p, struct pw_err *err)
{
	int ret = pw_system_texts_add(r->texts, x->time_ns, p->all, p->n, err);

	for (uint32_t i = 0; i < p->n; i++)
		free((char *)p->all[i].path);
	free(p->all);
	return ret;
}

/* A line of /proc/PID/stat each. A name may have a line break in it: what does
 * not begin as such a line belongs to the one before. */
int take_processes(struct recording *r, const struct record *x,
		   struct pw_err *err)
{
	struct text rest = x->texts[0], line, pid;
	struct parts p = { 0 };
	uint64_t number;

	if (x->ticks != 100)
		return pw_err_set(err, EBADMSG,
				  "a machine with %llu ticks a second, where "
				  "100 are known",
				  (unsigned long long)x->ticks);
	while (next_line(&rest, &line)) {
		struct text left = line;

		if (next_word(&left, &pid) && text_number(pid, &number) &&
		    left.n > 1 && left.s[1] == '(' && p.n < MOST_PARTS)
			add_part(&p,
				 pw_asprintf("proc/%llu/stat",
					     (unsigned long long)number),
				 line.s, line.n);
		else if (p.n)
			p.all[p.n - 1].size =
				(size_t)(line.s + line.n - p.all[p.n - 1].text);
	}
	return give_parts(r, x, &p, err);
}

/* "node0:", and its numastat below. */
int take_numa(struct recording *r, const struct record *x, struct pw_err *err)
{
	struct text rest = x->texts[0], line;
	struct parts p = { 0 };

	while (next_line(&rest, &line)) {
		uint64_t node;

		if (line.n > 5 && !memcmp(line.s, "node", 4) &&
		    line.s[line.n - 1] == ':' && p.n < MOST_PARTS &&
		    text_number((struct text){ line.s + 4, line.n - 5 }, &node))
			add_part(&p,
				 pw_asprintf("sys/devices/system/node/"
					     "node%llu/numastat",
					     (unsigned long long)node),
				 rest.s, 0);
		else if (p.n)
			p.all[p.n - 1].size =
				(size_t)(line.s + line.n - p.all[p.n - 1].text);
	}
	return give_parts(r, x, &p, err);
}

/* --- APerf's own form -------------------------------------------------------------------- */

/* "eth0:", then "rx_drops 12" a line. A / of a name parts device and port. */
static int take_components(struct recording *r, const struct record *x,
			   const char *family)
{
	struct text rest = x->texts[0], line, name, number;
	char *instance = pw_strdup("");
	uint64_t v;

	pw_metrics_begin(r->m, family, x->time_ns);
	while (next_line(&rest, &line)) {
		if (line.n && line.s[line.n - 1] == ':') {
			line.n--;
			free(instance);
			instance = text_copy(line);
			for (char *c = instance; *c; c++)
				*c = *c == '/' ? ' ' : *c;
		} else if (next_word(&line, &name) &&
			   next_word(&line, &number) &&
			   text_number(number, &v)) {
			char *metric = text_copy(name);
			uint32_t id =
				pw_metrics_series(r->m, family, metric,
						  instance, PW_METRIC_COUNTER,
						  PW_UNIT_COUNT);

			pw_metrics_value(r->m, id, (double)v);
			free(metric);
		}
	}
	free(instance);
	return 0;
}

int take_nic(struct recording *r, const struct record *x, struct pw_err *err)
{
	(void)err;
	return take_components(r, x, "ethtool");
}

int take_rdma(struct recording *r, const struct record *x, struct pw_err *err)
{
	(void)err;
	return take_components(r, x, "rdma");
}
