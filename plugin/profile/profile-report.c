// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report of a profile: its sections in order, and the tables of events,
 * tasks and functions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report-impl.h"

/* --- events and tasks ----------------------------------------------------------------- */

static void show_events(struct pw_profile *p, struct pw_node *parent)
{
	struct pw_node *t = pw_table(parent, "events", "Events");
	int name = pw_column(t, "event", "Event", PW_UNIT_NONE, 0);
	int samples =
		pw_column(t, "samples", "Samples", PW_UNIT_COUNT, PW_COL_RIGHT);
	int period = pw_column(t, "period", "Sum", PW_UNIT_COUNT, PW_COL_RIGHT);
	int left = pw_column(t, "left_out", "Left out", PW_UNIT_COUNT,
			     PW_COL_RIGHT);
	uint32_t i;

	for (i = 0; i < p->n_events; i++) {
		const struct pw_profile_event_info *e = &p->events[i]->info;

		if (e->is_sched)
			continue;
		pw_row(t);
		pw_cell_str(t, name, e->name);
		pw_cell_int(t, samples, (int64_t)e->total.samples);
		pw_cell_int(t, period, (int64_t)e->total.period);
		pw_cell_int(t, left, (int64_t)e->filtered);
	}
}

struct weighted {
	uint32_t i;
	uint64_t weight;
};

static int heavier(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

struct task_columns {
	int share, samples, period, comm, pid, tid, kinds[PW_N_PLACE_KINDS],
		off;
};

static struct pw_node *task_table(const struct pw_profile *p,
				  struct pw_node *parent,
				  struct task_columns *c)
{
	struct pw_node *t = pw_table(parent, "tasks", "Tasks");
	uint32_t event = pw_profile_main_event(p);
	bool has_off = p->off_event != UINT32_MAX;
	int k;

	c->share = pw_column(t, "share", "Overhead", PW_UNIT_PERCENT,
			     PW_COL_RIGHT);
	c->samples =
		pw_column(t, "samples", "Samples", PW_UNIT_COUNT, PW_COL_RIGHT);
	c->period = pw_column(t, "period", period_title(p, event),
			      period_unit(p, event),
			      PW_COL_RIGHT | PW_COL_JSON_ONLY);
	if (event != UINT32_MAX && p->events[event]->role == EVENT_COUNTS)
		pw_column_compared(t, c->period, PW_AMOUNT_TOTAL,
				   PW_BETTER_LESS);
	c->comm = pw_column(t, "task", "Task", PW_UNIT_NONE, PW_COL_KEY);
	c->pid = pw_column(t, "pid", "Pid", PW_UNIT_NONE, PW_COL_RIGHT);
	c->tid = pw_column(t, "tid", "Tid", PW_UNIT_NONE, PW_COL_RIGHT);
	for (k = 0; k < PW_N_PLACE_KINDS; k++)
		c->kinds[k] =
			pw_column(t, pw_place_kind_name(k),
				  pw_place_kind_name(k), PW_UNIT_PERCENT,
				  k == PW_PLACE_HYPERVISOR ? PW_COL_JSON_ONLY
							   : PW_COL_RIGHT);
	c->off = pw_column(t, "off_cpu", "Off CPU", PW_UNIT_NS,
			   has_off ? PW_COL_RIGHT : PW_COL_JSON_ONLY);
	return t;
}

static void show_task(struct pw_node *t, const struct task_columns *c,
		      const struct pw_task *task, struct pw_count main,
		      uint64_t whole)
{
	uint64_t off = 0;
	int k;

	pw_row(t);
	if (whole)
		pw_cell_num(t, c->share, (double)main.period / (double)whole);
	pw_cell_int(t, c->samples, (int64_t)main.samples);
	pw_cell_int(t, c->period, (int64_t)main.period);
	pw_cell_str(t, c->comm, task->comm);
	if (task->pid != PW_NO_PID)
		pw_cell_int(t, c->pid, task->pid);
	if (task->tid != PW_NO_PID)
		pw_cell_int(t, c->tid, task->tid);
	for (k = 0; k < PW_N_PLACE_KINDS; k++)
		if (main.period && task->kinds[k].samples)
			pw_cell_num(t, c->kinds[k],
				    (double)task->kinds[k].period /
					    (double)main.period);
	for (k = 0; k < PW_N_OFF_REASONS; k++)
		off += task->off[k].period;
	if (off)
		pw_cell_int(t, c->off, (int64_t)off);
}

static void show_tasks(struct pw_profile *p,
		       const struct pw_profile_report_opts *o,
		       struct pw_node *parent)
{
	uint32_t event = pw_profile_main_event(p), i, n = 0;
	uint64_t whole =
		event == UINT32_MAX ? 0 : p->events[event]->info.total.period;
	struct weighted *w = pw_alloc(p->n_tasks * sizeof(*w));
	struct task_columns c;
	struct pw_node *t = task_table(p, parent, &c);

	for (i = 0; i < p->n_tasks; i++) {
		uint64_t weight = 0;

		if (event != UINT32_MAX)
			weight = count_get(&p->events[event]->tasks, i).period;
		if (weight ||
		    (p->off_event != UINT32_MAX &&
		     count_get(&p->events[p->off_event]->tasks, i).period))
			w[n++] = (struct weighted){ i, weight };
	}
	qsort(w, n, sizeof(*w), heavier);
	if (whole)
		pw_column_whole(t, c.period, (double)whole, NULL, 0);
	for (i = 0; i < n && (!o->max_rows || i < o->max_rows); i++) {
		double blocks[BLOCKS_MAX] = { 0 };
		struct pw_task task;

		if (whole && w[i].weight < o->min_share * (double)whole)
			break;
		pw_profile_task(p, w[i].i, &task);
		show_task(t, &c, &task, task.events[event], whole);
		blocks_get(&p->blocks, BLOCK_TASK, event, w[i].i, blocks, NULL);
		pw_cell_blocks(t, c.period, blocks, blocks_n(&p->blocks));
	}
	if (i < n)
		pw_table_cut(t);
	free(w);
}

/* --- functions --------------------------------------------------------------------------- */

enum sort_key {
	BY_TASK,
	BY_MODULE,
	BY_TIER,
	BY_KIND,
	BY_DSO,
	BY_FUNCTION,
	BY_SYMBOL
};

static const struct column sort_columns[] = {
	[BY_TASK] = { "task", "Task", PW_COL_KEY },
	[BY_MODULE] = { "module", "Module", PW_COL_TRUNC | PW_COL_KEY },
	[BY_TIER] = { "tier", "Tier", 0 },
	[BY_KIND] = { "kind", "Kind", PW_COL_KEY },
	[BY_DSO] = { "dso", "Shared Object", PW_COL_TRUNC },
	[BY_FUNCTION] = { "function", "Function", PW_COL_TRUNC | PW_COL_KEY },
	[BY_SYMBOL] = { "symbol", "Symbol", PW_COL_TRUNC | PW_COL_KEY },
};
#define N_SORT_KEYS (sizeof(sort_columns) / sizeof(*sort_columns))

/* The keys that a text names; their number or -EINVAL. */
static int parse_sort(const char *sort, enum sort_key *keys, struct pw_err *err)
{
	int n = 0;
	size_t k, len;

	for (; *sort; sort += len + (sort[len] == ',')) {
		len = strcspn(sort, ",");
		for (k = 0; k < N_SORT_KEYS; k++)
			if (strlen(sort_columns[k].key) == len &&
			    !strncmp(sort_columns[k].key, sort, len))
				break;
		if (k == N_SORT_KEYS || n == ROW_TEXTS)
			return pw_err_set(
				err, EINVAL,
				"'%.*s' is no key to sort by: task, module, tier, kind, dso, function, symbol",
				(int)len, sort);
		keys[n++] = (enum sort_key)k;
	}
	return n ? n : pw_err_set(err, EINVAL, "no key to sort by is given");
}

int pw_profile_check_sort(const char *sort, struct pw_err *err)
{
	enum sort_key keys[ROW_TEXTS];
	int n = parse_sort(sort, keys, err);

	return n < 0 ? n : 0;
}

/* As perf calls it: generated code as its runtime does. */
static const char *symbol_text(const struct pw_symbol *sym)
{
	return strncmp(sym->dso, "[JIT]", 5) ? sym->name : sym->raw_name;
}

static const char *text_of(const struct pw_profile *p, enum sort_key key,
			   const struct pw_symbol *sym, const char *comm)
{
	switch (key) {
	case BY_TASK:
		return comm;
	case BY_MODULE:
		return pw_space_module_name(p->space, sym->module);
	case BY_TIER:
		return pw_jit_tier_name(sym->tier);
	case BY_KIND:
		return pw_place_kind_name(sym->kind);
	case BY_DSO:
		return sym->dso;
	case BY_FUNCTION:
		return sym->name;
	case BY_SYMBOL:
		return symbol_text(sym);
	}
	return NULL;
}

/* The rows of all functions; by the tree where the task matters. */
static void by_function(struct pw_profile *p, struct rows *r,
			const enum sort_key *keys)
{
	const char *texts[ROW_TEXTS];
	uint32_t i, e, k;

	for (i = 0; i < pw_profile_n_functions(p); i++) {
		const struct function *f = &p->functions[i];
		const struct pw_symbol *sym = pw_space_symbol(p->space, f->sym);
		struct row *row;

		for (k = 0; k < r->n_texts; k++)
			texts[k] = text_of(p, keys[k], sym, NULL);
		row = rows_get(r, texts);
		if (row_blocks(r, row))
			blocks_get(&p->blocks, BLOCK_SYMBOL,
				   pw_profile_main_event(p), f->sym,
				   row->blocks, NULL);
		for (e = 0; e < p->n_events; e++) {
			count_add(&row->self[e], f->self[e].samples,
				  f->self[e].period);
			count_add(&row->total[e], f->total[e].samples,
				  f->total[e].period);
		}
	}
}

static void by_node(struct pw_profile *p, struct rows *r,
		    const enum sort_key *keys)
{
	const char *texts[ROW_TEXTS];
	uint32_t i, e, k;

	for (i = 1; i < p->n_nodes; i++) {
		struct row *row = NULL;

		if (p->nodes[i].parent == PW_CHAIN_ROOT)
			continue;
		for (e = 0; e < p->n_events; e++) {
			struct pw_count c = count_get(&p->events[e]->nodes, i);

			if (!c.samples)
				continue;
			for (k = 0; k < r->n_texts && !row; k++)
				texts[k] =
					text_of(p, keys[k],
						pw_space_symbol(p->space,
								p->nodes[i]
									.sym),
						p->comms[node_comm(p, i)]);
			if (!row)
				row = rows_get(r, texts);
			count_add(&row->self[e], c.samples, c.period);
			count_add(&row->total[e], c.samples, c.period);
		}
	}
}

static int show_functions(struct pw_profile *p,
			  const struct pw_profile_report_opts *o,
			  struct pw_node *parent, struct pw_err *err)
{
	enum sort_key keys[ROW_TEXTS] = { BY_FUNCTION, BY_KIND, BY_TIER,
					  BY_MODULE, BY_DSO };
	struct column columns[ROW_TEXTS];
	uint32_t event = pw_profile_main_event(p);
	struct rows r;
	bool by_task = false;
	int n = 5, i;

	if (o->sort)
		n = parse_sort(o->sort, keys, err);
	if (n < 0)
		return n;
	for (i = 0; i < n; i++) {
		columns[i] = sort_columns[keys[i]];
		by_task |= keys[i] == BY_TASK;
	}
	rows_init(&r, p, (uint32_t)n);
	if (by_task)
		by_node(p, &r, keys);
	else
		by_function(p, &r, keys);
	rows_sort(&r, event, o->children);
	rows_show(&r, columns, o,
		  event == UINT32_MAX ? 0 : p->events[event]->info.total.period,
		  parent, "functions", "Functions");
	rows_release(&r);
	return 0;
}

/* Rows of a table of the page: it filters them, and they sort. */
#define PAGE_ROWS 1000u

/* --- all ------------------------------------------------------------------------------------ */

int pw_profile_report(struct pw_profile *p,
		      const struct pw_profile_report_opts *o,
		      struct pw_report *r, struct pw_err *err)
{
	struct pw_profile_report_opts opts = { 0 };
	struct pw_node *root = pw_report_root(r);
	int ret;

	if (o)
		opts = *o;
	o = &opts;
	if (opts.page && opts.max_rows) {
		pw_report_text_rows(r, opts.max_rows, false);
		opts.max_rows =
			opts.max_rows > PAGE_ROWS ? opts.max_rows : PAGE_ROWS;
	}
	if (p->opts.blocks) {
		pw_report_time(r, blocks_span_ns(&p->blocks),
			       blocks_width_ns(&p->blocks));
		pw_report_start(r, p->blocks.axis.start_ns);
	}
	report_capture(p, root);
	report_quality(p, o, root);
	show_events(p, root);
	show_tasks(p, o, root);
	ret = show_functions(p, o, root, err);
	if (ret)
		return ret;
	report_lines(p, o, root);
	report_opcodes(p, o, root);
	if (p->opts.blocks)
		report_hot_wasm(p, root);
	report_off_cpu(p, o, root);
	if (o->page)
		page_parts(p, r);
	return 0;
}
