// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a call of an imported function costs: the module is run once more with
 * that import under another name, for which hosts offer a function that does
 * nothing, and the time that this saves is divided by the number of calls.
 */
#include "triage-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX 12
#define SELDOM        100
#define ROUNDS_MIN    2
#define ROUNDS_MAX    5 /* of a short module: the best of few may be luck */
#define BUDGET_NS     UINT64_C(10000000000)
#define LEFT_OUT      "without.wasm"

static char *name_of(const struct pw_import *im)
{
	return pw_asprintf("%.*s.%.*s", (int)im->module.len, im->module.s,
			   (int)im->name.len, im->name.s);
}

/* The module with the last letter of an import's name changed. The new name,
 * or NULL; the caller frees. */
static char *write_without(struct hunt *h, const struct pw_import *im,
			   const char *path)
{
	struct pw_buf b = { 0 };
	size_t at = (size_t)((const uint8_t *)im->name.s - h->bytes.data) +
		    im->name.len - 1;
	char *name = NULL;

	if (!im->name.len || at >= h->bytes.len)
		return NULL;
	pw_buf_add(&b, h->bytes.data, h->bytes.len);
	b.data[at] = b.data[at] == '~' ? '-' : '~';
	if (!pw_file_write(path, b.data, b.len, NULL)) {
		name = name_of(im);
		name[strlen(name) - 1] = (char)b.data[at];
	}
	pw_buf_release(&b);
	return name;
}

/* What is gone without the function, CPU and wall. */
static void subtract(const struct pw_contestant *c, double *cpu_ns,
		     double *wall_ns)
{
	const struct pw_series *with = &c[0].series, *without = &c[1].series;

	*cpu_ns = *wall_ns = -1;
	if (without->outcome != PW_OUT_OK && without->outcome != PW_OUT_EXIT)
		return;
	*cpu_ns = (pw_min(with->cpu_ms, with->n) -
		   pw_min(without->cpu_ms, without->n)) *
		  1e6;
	*wall_ns = (pw_min(with->wall_ms, with->n) -
		    pw_min(without->wall_ms, without->n)) *
		   1e6;
	*cpu_ns = *cpu_ns > 0 ? *cpu_ns : 0;
	*wall_ns = *wall_ns > 0 ? *wall_ns : 0;
}

/* Both modules in turn, since neighbours on this machine cost wall time. */
static int race(struct hunt *h, struct runner *r, const char *path,
		const char *offered, double *cpu_ns, double *wall_ns,
		struct pw_err *err)
{
	struct pw_interleave_opts o = { .min_rounds = ROUNDS_MIN,
					.max_rounds = ROUNDS_MAX,
					.budget_ns = BUDGET_NS };
	struct pw_contestant c[2] = { { 0 } };
	char *list;
	int ret = hunt_open(h, r, err);

	c[0].session = c[1].session = r->session;
	pw_guest_request(&h->box, h->module_path, &c[0].req);
	pw_guest_request(&h->box, path, &c[1].req);
	list = pw_asprintf("%s,%s", c[1].req.empty_imports, offered);
	c[1].req.empty_imports = list;
	c[0].req.digest = c[1].req.digest = false;
	if (!ret)
		ret = pw_interleave(c, 2, &o, err);
	if (!ret)
		subtract(c, cpu_ns, wall_ns);
	for (int i = 0; i < 2; i++) {
		hunt_spent(h, &c[i].series);
		pw_series_release(&c[i].series);
	}
	free(list);
	return ret;
}

/* --- one function ------------------------------------------------------------------ */

static int measure(struct hunt *h, const struct pw_import *im,
		   struct pw_host_cost *c, struct pw_err *err)
{
	char *path = pw_asprintf("%s/" LEFT_OUT, h->box.dir);
	char *offered = write_without(h, im, path);
	int ret = 0;

	c->cpu_ns = c->wall_ns = c->oracle_cpu_ns = c->oracle_wall_ns = -1;
	if (offered)
		ret = race(h, &h->suspect, path, offered, &c->cpu_ns,
			   &c->wall_ns, err);
	if (!ret && c->cpu_ns >= 0)
		ret = race(h, h->triage.oracle, path, offered,
			   &c->oracle_cpu_ns, &c->oracle_wall_ns, err);
	free(offered);
	free(path);
	return ret;
}

/* "CPU WALL CPU WALL N": of all calls together; the number stands in it for
 * the reader of a journal. */
static bool parse(const char *text, struct pw_host_cost *c)
{
	unsigned long long n;

	if (sscanf(text, "%lf %lf %lf %lf %llu", &c->cpu_ns, &c->wall_ns,
		   &c->oracle_cpu_ns, &c->oracle_wall_ns, &n) != 5)
		return false;
	return n == c->n;
}

static int cost_of(struct hunt *h, const struct pw_import *im,
		   struct pw_host_cost *c, struct pw_err *err)
{
	char *key = pw_asprintf("cost of %s", c->name);
	const char *text = pw_journal_find(h->journal, "triage", key);
	int ret = 0;

	if (!text || !parse(text, c)) {
		hunt_progress(h, "triage", 0, 0, 0);
		ret = measure(h, im, c, err);
		if (!ret)
			ret = pw_journal_add(h->journal, "triage", key, err,
					     "%.0f %.0f %.0f %.0f %llu",
					     c->cpu_ns, c->wall_ns,
					     c->oracle_cpu_ns,
					     c->oracle_wall_ns,
					     (unsigned long long)c->n);
	}
	free(key);
	return ret;
}

static int dearest_first(const void *a, const void *b)
{
	const struct pw_host_cost *x = a, *y = b;

	return (x->cpu_ns < y->cpu_ns) - (x->cpu_ns > y->cpu_ns);
}

/* One of a few calls cannot make a module slow. */
static bool is_seldom(const struct pw_host_cost *c, bool known)
{
	return known && c->n < SELDOM;
}

static int add_cost(struct hunt *h, const struct pw_import *im, uint64_t n,
		    bool known, struct pw_err *err)
{
	struct triage *t = &h->triage;
	struct pw_host_cost c = { .n = n };

	if (is_seldom(&c, known) || t->n_costs == FUNCTIONS_MAX)
		return 0;
	c.name = name_of(im);
	t->costs = pw_realloc(t->costs, (t->n_costs + 1) * sizeof(*t->costs));
	t->costs[t->n_costs] = c;
	return cost_of(h, im, &t->costs[t->n_costs++], err);
}

/* "1 N N N ..." by function, or "0". */
static int counts(struct hunt *h, uint64_t *n, uint32_t n_funcs, bool *known,
		  struct pw_err *err)
{
	const char *text = pw_journal_find(h->journal, "triage", "calls");
	struct pw_buf b = { 0 };
	char *p;
	int ret;

	if (text) {
		*known = strtoull(text, &p, 10);
		for (uint32_t i = 0; i < n_funcs && *known; i++)
			n[i] = strtoull(p, &p, 10);
		return 0;
	}
	ret = hunt_import_counts(h, n, known, err);
	pw_buf_printf(&b, "%d", *known);
	for (uint32_t i = 0; i < n_funcs && *known; i++)
		pw_buf_printf(&b, " %llu", (unsigned long long)n[i]);
	if (!ret)
		ret = pw_journal_add(h->journal, "triage", "calls", err, "%s",
				     pw_buf_str(&b));
	pw_buf_release(&b);
	return ret;
}

int hunt_host_costs(struct hunt *h, struct pw_err *err)
{
	uint32_t n_funcs = pw_module_n_imported(h->module, PW_EXT_FUNC);
	uint64_t *n = pw_zalloc((n_funcs + 1) * sizeof(*n));
	struct triage *t = &h->triage;
	bool known = false;
	int ret = counts(h, n, n_funcs, &known, err);

	for (uint32_t i = 0; i < pw_module_n_imports(h->module) && !ret; i++) {
		const struct pw_import *im = pw_module_import(h->module, i);

		if (im->kind == PW_EXT_FUNC)
			ret = add_cost(h, im, n[im->idx], known, err);
	}
	if (t->n_costs)
		qsort(t->costs, t->n_costs, sizeof(*t->costs), dearest_first);
	free(n);
	return ret;
}
