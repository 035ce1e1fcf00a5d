// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile from its making to its end, and what it keeps of its capture.
 */
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

#define NODES_MAX 1000000u
#define INSNS_MAX 1000000u

static void add_rest(struct pw_profile *p)
{
	struct task *t;

	p->tasks = pw_zalloc(sizeof(*p->tasks));
	p->n_tasks = 1;
	t = &p->tasks[TASK_REST];
	t->pid = t->tid = PW_NO_PID;
	t->root = comm_node(p, "(others)");
	t->comm = p->comms[p->nodes[t->root].sym];
	t->first_ns = PW_NO_TIME;
	t->out_ns = NOT_OFF;
	t->is_kept = !p->opts.tasks || !*p->opts.tasks;
}

struct pw_profile *pw_profile_new(struct pw_space *space,
				  const struct pw_profile_opts *o)
{
	struct pw_profile *p = pw_zalloc(sizeof(*p));

	p->space = space;
	if (o)
		p->opts = *o;
	if (!p->opts.max_nodes)
		p->opts.max_nodes = NODES_MAX;
	if (!p->opts.max_insns)
		p->opts.max_insns = INSNS_MAX;
	p->off_event = UINT32_MAX;
	p->chains = pw_zalloc(CHAIN_ENTRIES * sizeof(*p->chains));
	p->nodes = pw_zalloc(sizeof(*p->nodes));
	p->n_nodes = p->cap_nodes = 1;
	if (p->opts.time_line)
		p->bins = pw_zalloc(sizeof(*p->bins));
	add_rest(p);
	return p;
}

static void event_free(struct event *e)
{
	free(e->nodes.at);
	free(e->hits.at);
	free(e->tasks.at);
	free(e->name);
	free(e);
}

static void facts_free(struct facts *f)
{
	free(f->hostname);
	free(f->osrelease);
	free(f->arch);
	free(f->version);
	free(f->cpudesc);
	free(f->command);
	memset(f, 0, sizeof(*f));
}

void pw_profile_free(struct pw_profile *p)
{
	uint32_t i;

	if (!p)
		return;
	functions_drop(p);
	chains_release(p);
	lines_release(p);
	bins_free(p->bins);
	blocks_release(&p->blocks);
	for (i = 0; i < p->n_events; i++)
		event_free(p->events[i]);
	facts_free(&p->facts);
	free(p->clock_remark);
	free(p->field_remark);
	free(p->events);
	free(p->scratch);
	free(p->of_attr);
	free(p->tasks);
	free(p->by_tid.slots);
	free(p->wakers);
	free(p->by_waker.slots);
	free(p->hits);
	free(p->hit_blocks);
	free(p->by_hit.slots);
	free(p->module_verdict);
	free(p->sym_off);
	free(p);
}

struct pw_space *pw_profile_space(const struct pw_profile *p)
{
	return p->space;
}

/* --- a whole capture ------------------------------------------------------------------ */

static char *copy(const char *s)
{
	return s ? pw_strdup(s) : NULL;
}

static void keep_facts(struct pw_profile *p, const struct pw_capture *c)
{
	const struct pw_capture_facts *f = pw_capture_facts(c);

	facts_free(&p->facts);
	p->facts = (struct facts){ .hostname = copy(f->hostname),
				   .osrelease = copy(f->osrelease),
				   .arch = copy(f->arch),
				   .version = copy(f->version),
				   .cpudesc = copy(f->cpudesc),
				   .command = pw_capture_command(f),
				   .is_killed = f->is_killed,
				   .is_cut = f->is_cut };
	p->counts = *pw_capture_counts(c);
	p->has_capture = true;
}

/* jitdumps tell monotonic times; a capture on another clock does not fit. */
static void check_clock(struct pw_profile *p, const struct pw_capture *c)
{
	uint32_t i, n = pw_capture_n_attrs(c);

	for (i = 0; i < n; i++) {
		const struct pw_attr *a = pw_capture_attr(c, i);

		if ((a->flags & PW_ATTR_USE_CLOCKID) && a->clockid == 1)
			return;
	}
	p->is_other_clock = n > 0;
}

void pw_profile_end(struct pw_profile *p, const struct pw_capture *c)
{
	uint32_t i, n = c ? pw_capture_n_attrs(c) : 0;

	switches_end(p);
	functions_drop(p);
	if (!c)
		return;
	/* events without a sample are shown, too */
	for (i = 0; i < n; i++)
		if (pw_capture_attr(c, i)->type != 1 ||
		    pw_capture_attr(c, i)->config != 9) /* dummy */
			pw_profile_add_event(p, pw_capture_attr(c, i)->name);
	keep_facts(p, c);
	check_clock(p, c);
}

int pw_profile_capture(struct pw_profile *p, struct pw_capture *c,
		       struct pw_err *err)
{
	struct pw_event ev;
	bool has_facts = false;
	int ret;

	while ((ret = pw_capture_next(c, &ev, err)) > 0) {
		/* a pipe tells its facts before the first record of a task */
		if (!has_facts && ev.type < 64) {
			pw_space_facts(p->space, pw_capture_facts(c));
			has_facts = true;
		}
		pw_profile_event(p, c, &ev);
	}
	pw_profile_end(p, c);
	return ret;
}

/* --- events ---------------------------------------------------------------------------- */

uint32_t pw_profile_n_events(const struct pw_profile *p)
{
	return p->n_events;
}

const struct pw_profile_event_info *
pw_profile_event_info(const struct pw_profile *p, uint32_t event)
{
	return event < p->n_events ? &p->events[event]->info : NULL;
}

uint32_t pw_profile_main_event(const struct pw_profile *p)
{
	uint32_t i;

	for (i = 0; i < p->n_events; i++)
		if (p->events[i]->role == EVENT_COUNTS &&
		    p->events[i]->info.total.samples)
			return i;
	return p->off_event;
}

uint32_t pw_profile_off_cpu(const struct pw_profile *p)
{
	return p->off_event;
}
