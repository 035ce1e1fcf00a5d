// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times off the CPU that a program in the kernel added up by task and call
 * chain (perf wasm record --bpf -g), read out of their series as the capture
 * beside it goes on, so that code which moves is found where it was.
 */
#include <perfwasm/bpf.h>
#include <perfwasm/series.h>

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "profile-impl.h"

enum { FRAMES_MAX = 64, SLOTS_MAX = 1 << 20 };

struct who {
	uint32_t tid, pid;
	char comm[16];
};

struct pw_waits {
	struct pw_series *in;
	struct pw_series_item item; /* not taken yet */
	bool has_item, at_end;
	uint64_t n_readouts;
	bool is_base; /* the readout holds what was counted before it */
	uint32_t task, wait, stack; /* tables; UINT32_MAX: none */
	/* columns */
	uint32_t tid, pid, of, at, state, n, off, woken;
	struct who *who; /* by task */
	uint32_t n_who;
	uint64_t (*stacks)[FRAMES_MAX]; /* by number, ended by 0 */
	uint32_t n_stacks;
};

struct pw_waits *pw_profile_waits_open(const char *path, struct pw_err *err)
{
	struct pw_series *in = pw_series_open(path, err);
	struct pw_waits *w = in ? pw_zalloc(sizeof(*w)) : NULL;

	if (w)
		w->in = in;
	return w;
}

void pw_profile_waits_close(struct pw_waits *w)
{
	if (!w)
		return;
	pw_series_close(w->in);
	free(w->who);
	free(w->stacks);
	free(w);
}

/* --- tables -------------------------------------------------------------------------- */

static uint32_t column(const struct pw_waits *w, uint32_t table,
		       const char *name)
{
	return pw_series_column(pw_series_table(w->in, table), name);
}

static void find_tables(struct pw_waits *w)
{
	w->task = pw_series_find(w->in, "task");
	w->wait = pw_series_find(w->in, "wait");
	w->stack = pw_series_find(w->in, "stack");
	if (w->task == UINT32_MAX || w->wait == UINT32_MAX ||
	    w->stack == UINT32_MAX)
		return;
	w->tid = column(w, w->task, "tid");
	w->pid = column(w, w->task, "pid");
	w->of = column(w, w->wait, "task");
	w->at = column(w, w->wait, "stack");
	w->state = column(w, w->wait, "state");
	w->n = column(w, w->wait, "switches");
	w->off = column(w, w->wait, "off cpu");
	w->woken = column(w, w->wait, "woken");
}

static uint64_t value(const uint64_t *values, uint32_t at)
{
	return at == UINT32_MAX ? 0 : values[at];
}

/* A copy that the kernel changed meanwhile may go back by a little. */
static uint64_t more(const struct pw_series_item *it, uint32_t at)
{
	return at == UINT32_MAX || it->changes[at] < 0
		       ? 0
		       : (uint64_t)it->changes[at];
}

/* --- rows ------------------------------------------------------------------------------ */

static struct who *who_at(struct pw_waits *w, uint64_t task)
{
	uint32_t n = w->n_who ? w->n_who : 64;

	if (task >= SLOTS_MAX)
		return NULL;
	if (task < w->n_who)
		return &w->who[task];
	while (n <= task)
		n *= 2;
	w->who = pw_realloc(w->who, n * sizeof(*w->who));
	memset(w->who + w->n_who, 0, (n - w->n_who) * sizeof(*w->who));
	w->n_who = n;
	return &w->who[task];
}

static void on_stack(struct pw_waits *w, const struct pw_series_item *it)
{
	uint32_t n = w->n_stacks ? w->n_stacks : 64;
	uint32_t frames = pw_series_table(w->in, it->table)->n;

	if (it->key >= SLOTS_MAX / 16)
		return;
	while (n <= it->key)
		n *= 2;
	if (n > w->n_stacks) {
		w->stacks = pw_realloc(w->stacks, n * sizeof(*w->stacks));
		memset(w->stacks + w->n_stacks, 0,
		       (n - w->n_stacks) * sizeof(*w->stacks));
		w->n_stacks = n;
	}
	if (frames > FRAMES_MAX)
		frames = FRAMES_MAX;
	memcpy(w->stacks[it->key], it->values, frames * sizeof(uint64_t));
}

static enum pw_off_reason reason_of(uint64_t state)
{
	static const enum pw_off_reason reasons[] = {
		[3] = PW_OFF_PREEMPTED,
		[4] = PW_OFF_SLEEPING,
		[5] = PW_OFF_BLOCKED,
	};

	return state >= 3 && state <= 5 ? reasons[state] : PW_OFF_OTHER;
}

static void on_wait(struct pw_waits *w, struct pw_profile *p,
		    const struct pw_series_item *it)
{
	struct who *who = who_at(w, value(it->values, w->of));
	uint64_t chain[FRAMES_MAX + 1] = { PERF_CONTEXT_USER };
	uint64_t stack = value(it->values, w->at);
	struct pw_away a = { .time_ns = it->time_ns,
			     .reason = reason_of(value(it->values, w->state)),
			     .n = more(it, w->n),
			     .ns = more(it, w->off),
			     .waking_ns = more(it, w->woken) };

	if (!who || !who->tid || w->is_base)
		return;
	a.pid = who->pid;
	a.tid = who->tid;
	a.comm = who->comm[0] ? who->comm : NULL;
	if (stack && stack < w->n_stacks) {
		memcpy(chain + 1, w->stacks[stack], sizeof(*w->stacks));
		a.callchain = chain;
		while (a.n_callchain < FRAMES_MAX && chain[a.n_callchain])
			a.n_callchain++;
	}
	pw_profile_away(p, &a);
}

static void on_row(struct pw_waits *w, struct pw_profile *p,
		   const struct pw_series_item *it)
{
	struct who *who;

	if (it->table == w->task) {
		who = who_at(w, it->key);
		if (who) {
			who->tid = (uint32_t)value(it->values, w->tid);
			who->pid = (uint32_t)value(it->values, w->pid);
		}
	} else if (it->table == w->stack) {
		on_stack(w, it);
	} else if (it->table == w->wait) {
		on_wait(w, p, it);
	}
}

static void take(struct pw_waits *w, struct pw_profile *p)
{
	const struct pw_series_item *it = &w->item;
	struct who *who;

	switch (it->kind) {
	case PW_SERIES_READOUT:
		find_tables(w);
		w->n_readouts++;
		w->is_base = false;
		return;
	case PW_SERIES_ROW:
		on_row(w, p, it);
		return;
	case PW_SERIES_TEXT:
		who = it->table == w->task ? who_at(w, it->key) : NULL;
		if (who)
			snprintf(who->comm, sizeof(who->comm), "%s", it->text);
		return;
	case PW_SERIES_DROP:
		who = it->table == w->task ? who_at(w, it->key) : NULL;
		if (who)
			memset(who, 0, sizeof(*who));
		return;
	case PW_SERIES_FACT:
		w->is_base |= w->n_readouts == 1 &&
			      !strcmp(it->name, PW_BPF_FACT_COUNTED) &&
			      !strcmp(it->text, PW_BPF_FACT_EARLIER);
		return;
	}
}

int pw_profile_waits(struct pw_waits *w, struct pw_profile *p,
		     uint64_t until_ns, struct pw_err *err)
{
	int ret = 1;

	while (!w->at_end) {
		if (!w->has_item)
			ret = pw_series_next(w->in, &w->item, err);
		w->at_end = ret <= 0;
		w->has_item = !w->at_end;
		if (w->at_end || w->item.time_ns > until_ns)
			break;
		take(w, p);
		w->has_item = false;
	}
	return ret < 0 ? ret : 0;
}
