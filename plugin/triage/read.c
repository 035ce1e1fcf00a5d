// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording to sums: samples while a call was in progress by process and
 * instruction, system calls and sleep by thread. Whose addresses they are is
 * plugin/space's to say.
 */
#include "triage-impl.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_KEPT 64

/* --- opening ------------------------------------------------------------------- */

static int add_module(struct reading *r, const struct source *s,
		      struct pw_err *err)
{
	int module = pw_space_add_module(r->space, s->module, err);

	if (module < 0)
		return module;
	/* without it, what a jitdump tells must do */
	if (s->artifact)
		pw_space_add_artifact(r->space, s->artifact, module, NULL);
	return 0;
}

int reading_open(struct reading *r, const struct source *s, struct pw_err *err)
{
	struct pw_space_opts o = { .dir = s->dir };

	memset(r, 0, sizeof(*r));
	r->windows = pw_alloc(s->n_windows * sizeof(*r->windows));
	memcpy(r->windows, s->windows, s->n_windows * sizeof(*r->windows));
	r->n_windows = s->n_windows;
	r->capture = pw_capture_open(s->data, NULL, err);
	if (!r->capture)
		return -err->code;
	r->space = pw_space_new(&o);
	pw_space_facts(r->space, pw_capture_facts(r->capture));
	return add_module(r, s, err);
}

void reading_release(struct reading *r)
{
	struct spot *s, *next;

	HASH_ITER (hh, r->spots, s, next) {
		HASH_DEL(r->spots, s);
		free(s);
	}
	free(r->windows);
	threads_release(&r->threads);
	pw_capture_close(r->capture);
	if (r->space)
		pw_space_free(r->space);
	memset(r, 0, sizeof(*r));
}

/* --- windows ------------------------------------------------------------------- */

static bool is_inside(const struct reading *r, uint64_t t)
{
	for (size_t i = 0; i < r->n_windows; i++)
		if (t >= r->windows[i].from_ns && t < r->windows[i].to_ns)
			return true;
	return false;
}

static uint64_t inside_ns(const struct reading *r, uint64_t from, uint64_t to)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->n_windows; i++) {
		uint64_t lo = r->windows[i].from_ns, hi = r->windows[i].to_ns;

		lo = lo > from ? lo : from;
		hi = hi < to ? hi : to;
		sum += hi > lo ? hi - lo : 0;
	}
	return sum;
}

/* --- samples --------------------------------------------------------------------- */

static void count_spot(struct reading *r, uint32_t pid,
		       const struct pw_place *place)
{
	struct spot_key key;
	struct spot *s;

	memset(&key, 0, sizeof(key));
	key.pid = pid;
	key.piece = place->piece->id;
	key.off = place->off;
	HASH_FIND(hh, r->spots, &key, sizeof(key), s);
	if (!s) {
		s = pw_zalloc(sizeof(*s));
		s->key = key;
		HASH_ADD(hh, r->spots, key, sizeof(key), s);
	}
	s->n++;
}

static void on_clock(struct reading *r, const struct pw_event *ev)
{
	struct thread *t = thread_get(&r->threads, ev->pid, ev->tid);
	struct pw_place place;

	if (!is_inside(r, ev->time_ns))
		return;
	pw_space_find(r->space, ev->pid, ev->misc, ev->sample.ip, ev->time_ns,
		      &place);
	count_spot(r, ev->pid, &place);
	t->n_samples++;
	t->was_seen = true;
	t->n_wasm += place.piece->sym->kind == PW_PLACE_WASM;
	r->period_ns = ev->sample.fields & PERF_SAMPLE_PERIOD
			       ? ev->sample.period
			       : ev->attr->sample_period;
	if (t->nr != NO_CALL && (ev->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
					PERF_RECORD_MISC_KERNEL)
		thread_call_get(&r->threads, ev->tid, t->nr)->n_samples++;
}

/* --- system calls ------------------------------------------------------------------ */

static bool is_event(const struct pw_event *ev, const char *name)
{
	return !strncmp(ev->attr->name, name, strlen(name));
}

static int32_t number_of(struct reading *r, const struct pw_event *ev,
			 const struct pw_attr **of, struct pw_field *f)
{
	if (*of != ev->attr) {
		if (pw_capture_field(r->capture, ev->attr, "id", f, NULL))
			return NO_CALL;
		*of = ev->attr;
	}
	return (int32_t)pw_field_u64(f, ev->sample.raw, ev->sample.raw_size);
}

static void on_sample(struct reading *r, const struct pw_event *ev)
{
	struct thread *t;

	if (!ev->attr || ev->tid == PW_NO_PID || ev->time_ns == PW_NO_TIME)
		return;
	if (is_event(ev, "raw_syscalls:sys_enter")) {
		t = thread_get(&r->threads, ev->pid, ev->tid);
		t->nr = number_of(r, ev, &r->enter, &r->enter_nr);
		r->has_calls = true;
		if (t->nr != NO_CALL && is_inside(r, ev->time_ns))
			thread_call_get(&r->threads, ev->tid, t->nr)->n++;
	} else if (is_event(ev, "raw_syscalls:sys_exit")) {
		thread_get(&r->threads, ev->pid, ev->tid)->nr = NO_CALL;
	} else {
		on_clock(r, ev);
	}
}

static void on_switch(struct reading *r, const struct pw_event *ev)
{
	struct thread *t;
	uint64_t ns;

	if (ev->tid == PW_NO_PID || !ev->tid || ev->time_ns == PW_NO_TIME)
		return;
	t = thread_get(&r->threads, ev->pid, ev->tid);
	if (ev->swtch.is_out) {
		t->is_out = true;
		t->is_preempted = ev->swtch.is_preempt;
		t->out_ns = ev->time_ns;
		return;
	}
	ns = t->is_out ? inside_ns(r, t->out_ns, ev->time_ns) : 0;
	t->is_out = false;
	if (t->is_preempted) {
		t->ready_ns += ns;
	} else if (ns) {
		struct thread_call *c =
			thread_call_get(&r->threads, ev->tid, t->nr);

		c->n_waits++;
		c->wait_ns += ns;
	}
}

/* Runs that are over when this event comes. */
static void pass_windows(struct reading *r, uint64_t time_ns)
{
	while (r->window < r->n_windows &&
	       time_ns >= r->windows[r->window].to_ns) {
		threads_elect(&r->threads);
		r->window++;
	}
}

void reading_end(struct reading *r)
{
	pass_windows(r, UINT64_MAX);
}

void reading_event(struct reading *r, const struct pw_event *ev)
{
	if (ev->time_ns != PW_NO_TIME) {
		r->last_ns = ev->time_ns;
		pass_windows(r, ev->time_ns);
	}
	if (ev->type == PW_REC_SAMPLE)
		on_sample(r, ev);
	else if (ev->type == PW_REC_SWITCH)
		on_switch(r, ev);
	else
		pw_space_event(r->space, ev);
}

int reading_read(struct reading *r, struct pw_err *err)
{
	struct pw_event ev;
	int ret;

	while ((ret = pw_capture_next(r->capture, &ev, err)) == 1)
		reading_event(r, &ev);
	reading_end(r);
	return ret;
}

/* --- sums ---------------------------------------------------------------------------- */

static const char *library_of(const struct pw_symbol *sym)
{
	const char *slash;

	if (sym->kind == PW_PLACE_KERNEL)
		return "[kernel]";
	slash = strrchr(sym->dso, '/');
	return slash ? slash + 1 : sym->dso;
}

static void count_symbol(struct pw_triage *t, const struct pw_symbol *sym,
			 uint64_t ns)
{
	const char *library = library_of(sym);
	size_t i;

	for (i = 0; i < t->n_symbols; i++) {
		struct pw_triage_symbol *s = &t->symbols[i];

		if (!strcmp(s->name, sym->name) && !strcmp(s->library, library))
			break;
	}
	if (i == t->n_symbols) {
		t->symbols =
			pw_realloc(t->symbols, (i + 1) * sizeof(*t->symbols));
		t->symbols[t->n_symbols++] =
			(struct pw_triage_symbol){ pw_strdup(sym->name),
						   pw_strdup(library),
						   spent_of(sym), 0 };
	}
	t->symbols[i].ns += ns;
}

static int hotter(const void *a, const void *b)
{
	const struct pw_triage_symbol *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void keep_hottest(struct pw_triage *t)
{
	if (t->n_symbols)
		qsort(t->symbols, t->n_symbols, sizeof(*t->symbols), hotter);
	while (t->n_symbols > SYMBOLS_KEPT) {
		struct pw_triage_symbol *s = &t->symbols[--t->n_symbols];

		free(s->name);
		free(s->library);
	}
}

static void sum_spots(struct reading *r, struct pw_triage *t)
{
	for (const struct spot *s = r->spots; s; s = s->hh.next) {
		uint64_t ns = s->n * r->period_ns / t->n_runs;
		const struct pw_symbol *sym;

		if (!threads_is_guest(&r->threads, s->key.pid))
			continue;
		sym = pw_space_piece(r->space, s->key.piece)->sym;
		t->n_samples += s->n;
		t->spent_ns[spent_of(sym)] += ns;
		if (sym->tier == PW_TIER_BASELINE)
			t->baseline_ns += ns;
		count_symbol(t, sym, ns);
	}
	keep_hottest(t);
}

void remark_add(struct pw_triage *t, const char *fmt, ...)
{
	char *s, *old = t->remark;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = pw_strdup(fmt);
	va_end(ap);
	if (old && strstr(old, s)) {
		free(s);
		return;
	}
	t->remark = old ? pw_asprintf("%s; %s", old, s) : pw_strdup(s);
	free(old);
	free(s);
}

static void remark(struct reading *r, struct pw_triage *t)
{
	uint64_t lost = r->capture ? pw_capture_counts(r->capture)->lost : 0;
	const struct window *last = &r->windows[r->n_windows - 1];

	if (r->last_ns < last->from_ns + (last->to_ns - last->from_ns) / 10 * 9)
		remark_add(
			t,
			"the recording was full before the run ended: numbers are of its first part");
	else if (lost)
		remark_add(t, "%llu events were lost: numbers are too small",
			   (unsigned long long)lost);
}

static void drop_calls(struct pw_triage *t)
{
	for (size_t i = 0; i < t->n_calls; i++)
		free(t->calls[i].name);
	t->n_calls = 0;
}

void reading_sum_up(struct reading *r, struct pw_triage *t)
{
	uint64_t n_threads = 0;

	sum_spots(r, t);
	calls_sum_up(&r->threads, r->period_ns, t);
	t->has_calls = r->has_calls;
	if (!t->has_calls)
		drop_calls(t);
	for (const struct thread *e = r->threads.by_tid; e; e = e->hh.next)
		n_threads +=
			e->was_seen && threads_is_guest(&r->threads, e->pid);
	t->n_threads = (uint32_t)((n_threads + t->n_runs - 1) / t->n_runs);
	remark(r, t);
}
