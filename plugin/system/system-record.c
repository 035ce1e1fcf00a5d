// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorder: at each tick the sources that are due are read, one after the
 * other, and their rows written as one readout. Its own tables tell when each
 * was read and what that cost.
 */
#include "system-record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const struct pw_series_column source_columns[] = {
	[COLUMN_READS] = { "reads", "count+" },
	[COLUMN_OFFSET] = { "offset", "us" },
	[COLUMN_COST] = { "cost", "us+" },
	[COLUMN_FAILURES] = { "failures", "count+" },
	[COLUMN_EVERY] = { "every", "ms" },
};
static const struct pw_series_column recorder_columns[] = {
	{ "missed", "count+" },
	{ "cpu", "us+" },
	{ "resident", "kib" },
};
static const struct pw_series_table own_tables[] = {
	[OWN_SOURCES] = { SOURCES_TABLE, source_columns, N_SOURCE_COLUMNS },
	[OWN_RECORDER] = { RECORDER_TABLE, recorder_columns, 3 },
};

/* How often costs are told, which differ at every tick and interest at the
 * end; new names below /sys are looked for; own memory is. */
#define SLOW_NS 10000000000ULL

static uint64_t thread_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static uint64_t real_now(void *ctx)
{
	(void)ctx;
	return pw_now_ns();
}

/* The readout that is made begins a file, and not the first: what was told once
 * is told again in it. */
static bool begins_next_file(const struct pw_system *s)
{
	return s->is_fresh && s->started;
}

/* --- rows ---------------------------------------------------------------------- */

static void tell_names(struct pw_system *s, enum table table,
		       const struct roster_row *row)
{
	char text[MAX_NAME + 1];
	uint32_t t = N_OWN_TABLES + table;

	memcpy(text, row->name, row->n_instance);
	text[row->n_instance] = 0;
	if (row->n_instance)
		pw_series_text(s->out, t, row->key, "instance", text);
	if (!row->n_metric)
		return;
	memcpy(text, row->name + row->n_instance, row->n_metric);
	text[row->n_metric] = 0;
	pw_series_text(s->out, t, row->key, "metric", text);
}

static void record_row(void *ctx, enum table table, struct span instance,
		       struct span metric, const uint64_t *values)
{
	struct pw_system *s = ctx;
	struct roster *r = &s->rosters[table];
	struct roster_slot *slot = roster_find(r, instance, metric);
	size_t size = table_def(table)->n * sizeof(*values);
	uint64_t *told;

	if (!slot) {
		slot = roster_add(r, instance, metric, table_def(table)->n);
		if (!begins_next_file(s))
			tell_names(s, table, slot->row);
	}
	told = roster_values(r, slot);
	/* most are as they were, and are not looked up in the series */
	if (!slot->is_told || memcmp(told, values, size)) {
		memcpy(told, values, size);
		slot->is_told = true;
		pw_series_row(s->out, N_OWN_TABLES + table, slot->row->key,
			      values);
	}
	if (s->n_watches)
		watch_row(s, table, instance, metric, values);
}

struct ending {
	struct pw_system *s;
	enum table table;
};

static void drop_row(void *ctx, const struct roster_row *row)
{
	struct ending *e = ctx;

	pw_series_drop(e->s->out, N_OWN_TABLES + e->table, row->key);
}

/* --- a source --------------------------------------------------------------------- */

static int read_files(struct pw_system *s, struct clocked *c,
		      enum pw_system_source_id id, const struct sink *k)
{
	int ret = -ENOENT, failed = 0;

	if (!c->files.n || (c->files.may_change &&
			    s->reading_ns - c->files.looked_ns >= SLOW_NS)) {
		ret = files_look(&c->files, id, s->root);
		if (ret)
			return ret;
		c->files.looked_ns = s->reading_ns;
	}
	for (uint32_t i = 0; i < c->files.n; i++) {
		struct open_file *f = &c->files.all[i];
		ssize_t n = read_whole(&s->reading, f->fd);
		struct part p = {
			.left = { s->reading.data, n > 0 ? (uint32_t)n : 0 },
			.instance = { f->instance,
				      (uint32_t)strlen(f->instance) },
			.name = { f->name, (uint32_t)strlen(f->name) },
		};

		if (n < 0) {
			failed = (int)n;
			continue;
		}
		f->def->parse(&p, k);
		ret = 0;
	}
	/* one that went away: look for all of them next time */
	if (failed)
		files_release(&c->files);
	return ret ? failed : 0;
}

static int read_rows(struct pw_system *s, enum pw_system_source_id id,
		     const struct sink *k)
{
	switch (id) {
	case PW_SYSTEM_PROCESS:
		return read_processes(s, k);
	case PW_SYSTEM_THREAD:
		return read_threads(s, k);
	case PW_SYSTEM_CGROUP:
		return read_cgroups(s, k);
	case PW_SYSTEM_ETHTOOL:
		return read_nics(s, k);
	case PW_SYSTEM_MOUNTS:
		return read_mounts(s, k);
	default:
		return read_files(s, &s->sources[id], id, k);
	}
}

static void set_state(struct clocked *c, const char *state)
{
	if (!strcmp(c->state, state))
		return;
	memset(c->state, 0, sizeof(c->state));
	memcpy(c->state, state, strnlen(state, sizeof(c->state) - 1));
	c->told_state = false;
}

static const char *why(enum pw_system_source_id id, int ret)
{
	if (!ret)
		return "";
	if (id == PW_SYSTEM_CGROUP && ret == -ENOENT)
		return "control groups of version 2 are not mounted, others are not read";
	return strerror(-ret);
}

static void read_source(struct pw_system *s, enum pw_system_source_id id)
{
	struct clocked *c = &s->sources[id];
	struct sink k = { record_row, s };
	int ret;

	for (uint32_t t = 0; t < N_TABLES; t++)
		if (table_source(t) == id)
			roster_begin(&s->rosters[t]);
	ret = read_rows(s, id, &k);
	for (uint32_t t = 0; t < N_TABLES; t++)
		if (table_source(t) == id)
			roster_end(&s->rosters[t], drop_row,
				   &(struct ending){ s, t });
	set_state(c, why(id, ret));
	c->failures += ret != 0;
	c->is_read = !ret;
}

static void read_extra(struct pw_system *s, uint32_t i, uint32_t first)
{
	struct clocked *c = &s->extras[i];
	struct pw_err err = { .msg = "" };
	int ret = s->extra[i].read(s->extra[i].ctx, s->out, first, &err);

	set_state(c, !ret ? "" : *err.msg ? err.msg : strerror(-ret));
	c->failures += ret != 0;
	c->is_read = !ret;
}

/* --- a readout ----------------------------------------------------------------------- */

static void tell_source(struct pw_system *s, struct clocked *c, uint64_t key,
			bool costs, uint64_t now_ns)
{
	uint64_t *v = c->told;

	v[COLUMN_READS] = c->reads;
	v[COLUMN_FAILURES] = c->failures;
	v[COLUMN_EVERY] = c->every_ns / 1000000;
	if (costs)
		v[COLUMN_COST] = c->cost_ns / 1000;
	if ((c->is_read || s->is_fresh) && c->reads)
		v[COLUMN_OFFSET] =
			(uint64_t)((int64_t)(c->read_ns - now_ns) / 1000);
	pw_series_row(s->out, OWN_SOURCES, key, v);
	if (!c->told_state)
		pw_series_text(s->out, OWN_SOURCES, key, "state", c->state);
	c->told_state = true;
}

/* The number of the source's row, ours first. */
static struct clocked *clocked_at(struct pw_system *s, uint32_t i)
{
	return i < PW_SYSTEM_N_SOURCES ? &s->sources[i]
				       : &s->extras[i - PW_SYSTEM_N_SOURCES];
}

static bool idles(uint32_t i)
{
	return i < PW_SYSTEM_N_SOURCES && source_flags(i) & SOURCE_IDLES;
}

/* At the end what was read just now is not read again: it would be a rate over
 * almost no time. */
static bool is_due(const struct pw_system *s, const struct clocked *c,
		   uint32_t i, uint64_t tick_ns, bool last)
{
	if (!c->wanted ||
	    (last && c->reads &&
	     s->now_ns(s->now_ctx) - c->read_ns < s->interval_ns / 2))
		return false;
	if (!s->started || tick_ns >= c->due_ns)
		return last || !idles(i) || !may_wait(s, c, tick_ns);
	return last &&
	       (i >= PW_SYSTEM_N_SOURCES || source_flags(i) & SOURCE_LAST);
}

/* What is not there may come, but is not looked for often. What costs more than
 * a fiftieth of a CPU, as it does where there are hundreds of CPUs, is read
 * less often. A single reading's cost may be that of a machine that was stopped
 * meanwhile, which its clocks do not know. */
static void set_due(struct clocked *c, uint64_t tick_ns, uint64_t cost_ns)
{
	uint64_t every_ns = c->every_ns;
	uint64_t least_ns = cost_ns < c->before_ns ? cost_ns : c->before_ns;

	c->cost_ns += cost_ns;
	/* the first time files are opened */
	if (c->reads)
		c->usual_ns = (3 * c->usual_ns + least_ns) / 4;
	c->before_ns = cost_ns;
	if (every_ns < 50 * c->usual_ns)
		every_ns = 50 * c->usual_ns;
	if (!c->is_read && every_ns < SLOW_NS)
		every_ns = SLOW_NS;
	c->due_ns = tick_ns + every_ns;
}

static void read_due(struct pw_system *s, uint64_t tick_ns, bool last)
{
	uint32_t table = N_OWN_TABLES + N_TABLES;
	uint64_t cpu_ns = thread_cpu_ns(), before_ns;

	for (uint32_t i = 0; i < PW_SYSTEM_N_SOURCES + s->n_extra; i++) {
		struct clocked *c = clocked_at(s, i);
		uint32_t first = table;

		c->is_read = false;
		if (i >= PW_SYSTEM_N_SOURCES)
			table += s->extra[i - PW_SYSTEM_N_SOURCES].n;
		if (!is_due(s, c, i, tick_ns, last))
			continue;
		s->reading_ns = s->now_ns(s->now_ctx);
		if (i < PW_SYSTEM_N_SOURCES)
			read_source(s, i);
		else
			read_extra(s, i - PW_SYSTEM_N_SOURCES, first);
		before_ns = cpu_ns;
		cpu_ns = thread_cpu_ns();
		set_due(c, tick_ns, cpu_ns - before_ns);
		if (c->is_read) {
			c->reads++;
			c->read_ns = s->reading_ns;
			c->busy_ns = idles(i) ? cpus_busy_ns(s) : 0;
		}
	}
}

static uint64_t resident_kib(void)
{
	char text[64];
	ssize_t n =
		pw_file_peek(AT_FDCWD, "/proc/self/statm", text, sizeof(text));
	struct span line = { text, n > 0 ? (uint32_t)n : 0 };
	uint64_t v[2];

	take_numbers(&line, v, 2);
	return v[1] * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

/* After reading: a row that ended in it is not in the file. */
static void tell_all_names(struct pw_system *s)
{
	for (uint32_t t = 0; t < N_TABLES; t++)
		for (uint32_t i = 0; i < s->rosters[t].n; i++)
			tell_names(s, t, s->rosters[t].slots[i].row);
}

/* Before reading, which tells of what is named here. */
static void tell_extras(struct pw_system *s)
{
	uint32_t table = N_OWN_TABLES + N_TABLES;

	for (uint32_t i = 0; i < s->n_extra; i++) {
		const struct pw_system_extra *e = &s->extra[i];

		if (e->again)
			e->again(e->ctx, s->out, table);
		table += e->n;
	}
}

static void tell_facts(struct pw_system *s)
{
	struct timespec real;
	char text[32];

	clock_gettime(CLOCK_REALTIME, &real);
	snprintf(text, sizeof(text), "%lld.%09ld", (long long)real.tv_sec,
		 real.tv_nsec);
	pw_series_fact(s->out, "recorder/real time", text);
	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)s->interval_ns);
	pw_series_fact(s->out, "recorder/interval ns", text);
	pw_series_fact(s->out, "recorder/version", PW_VERSION);
	/* whose own work is no finding: ours and that of who started us */
	snprintf(text, sizeof(text), "%d %d", (int)getpid(), (int)getppid());
	pw_series_fact(s->out, "recorder/pid", text);
}

static const char *table_name(const struct pw_system *s, uint32_t i, uint32_t n)
{
	return i < PW_SYSTEM_N_SOURCES
		       ? table_def(n)->name
		       : s->extra[i - PW_SYSTEM_N_SOURCES].tables[n].name;
}

/* "cpu,kernel" */
static void tell_tables(struct pw_system *s, uint32_t i)
{
	uint32_t n = i < PW_SYSTEM_N_SOURCES
			     ? N_TABLES
			     : s->extra[i - PW_SYSTEM_N_SOURCES].n;
	struct pw_buf b = { 0 };

	for (uint32_t t = 0; t < n; t++)
		if (i >= PW_SYSTEM_N_SOURCES || table_source(t) == i)
			pw_buf_printf(&b, "%s%s", b.len ? "," : "",
				      table_name(s, i, t));
	pw_series_text(s->out, OWN_SOURCES, i, "tables", pw_buf_str(&b));
	pw_buf_release(&b);
}

static void tell_sources(struct pw_system *s, bool costs, uint64_t now_ns)
{
	uint32_t n;
	const struct pw_system_source *sources = pw_system_sources(&n);

	for (uint32_t i = 0; i < PW_SYSTEM_N_SOURCES + s->n_extra; i++) {
		struct clocked *c = clocked_at(s, i);

		if (!c->wanted)
			continue;
		if (s->is_fresh) {
			pw_series_text(s->out, OWN_SOURCES, i, "name",
				       i < n ? sources[i].name
					     : s->extra[i - n].name);
			tell_tables(s, i);
			c->told_state = false;
		}
		tell_source(s, c, i, costs, now_ns);
	}
}

static void tell_recorder(struct pw_system *s, bool costs, bool last)
{
	uint64_t v[] = { s->missed, pw_cpu_ns() / 1000, 0 };

	if (last && s->now_ns(s->now_ctx) - s->before_ns < s->interval_ns / 2)
		return;
	s->before_ns = s->now_ns(s->now_ctx);
	if (costs)
		s->resident_kib = resident_kib();
	v[2] = s->resident_kib;
	pw_series_row(s->out, OWN_RECORDER, 0, v);
}

static int readout(struct pw_system *s, bool last, struct pw_err *err)
{
	uint64_t now_ns = s->now_ns(s->now_ctx), tick_ns = s->next_ns;
	bool costs =
		!s->started || last || now_ns - s->costs_told_ns >= SLOW_NS;
	uint32_t n_tables = N_OWN_TABLES + N_TABLES;

	if (!s->started)
		tick_ns = now_ns;
	if (costs)
		s->costs_told_ns = now_ns;
	pw_series_begin(s->out, now_ns);
	if (s->is_fresh)
		tell_facts(s);
	if (begins_next_file(s))
		tell_extras(s);
	read_due(s, tick_ns, last);
	if (begins_next_file(s))
		tell_all_names(s);
	tell_sources(s, costs, now_ns);
	tell_recorder(s, costs, last);
	for (uint32_t i = 0; i < s->n_extra; i++)
		n_tables += s->extra[i].n;
	for (uint32_t t = 0; begins_next_file(s) && t < n_tables; t++)
		pw_series_again(s->out, t);
	s->is_fresh = false;
	s->started = true;
	s->ticks++;
	if (!pw_series_end(s->out, err))
		return 0;
	pw_err_prefix(
		err,
		"the figures of the system end here (all before can be read; make room or choose another place)");
	return err ? -err->code : -EIO;
}

int pw_system_tick(struct pw_system *s, struct pw_err *err)
{
	uint64_t now_ns = s->now_ns(s->now_ctx), late;
	int ret;

	if (!s->started) {
		s->next_ns = now_ns;
	} else if (now_ns >= s->next_ns + s->interval_ns) {
		late = (now_ns - s->next_ns) / s->interval_ns;
		s->missed += late;
		s->next_ns += late * s->interval_ns;
	}
	ret = readout(s, false, err);
	s->next_ns += s->interval_ns;
	return ret;
}

int pw_system_last(struct pw_system *s, struct pw_err *err)
{
	return readout(s, true, err);
}

uint64_t pw_system_next_ns(const struct pw_system *s)
{
	return s->next_ns;
}

int pw_system_rotate(struct pw_system *s, const char *path, struct pw_err *err)
{
	int ret = pw_series_restart(s->out, path, err);

	if (!ret)
		s->is_fresh = true;
	return ret;
}

struct pw_system_cost pw_system_get_cost(const struct pw_system *s)
{
	return (struct pw_system_cost){
		.ticks = s->ticks,
		.missed = s->missed,
		.size_bytes = pw_series_size_bytes(s->out),
		.cpu_ns = pw_cpu_ns(),
	};
}

/* --- opening -------------------------------------------------------------------------- */

static int open_file(struct pw_system *s, const struct pw_system_opts *o,
		     struct pw_err *err)
{
	struct pw_series_table all[PW_SERIES_MAX_TABLES];
	uint32_t n = 0;

	memcpy(all, own_tables, sizeof(own_tables));
	n = N_OWN_TABLES;
	for (uint32_t t = 0; t < N_TABLES; t++)
		all[n++] = *table_def(t);
	for (uint32_t i = 0; i < o->n_extra; i++)
		for (uint32_t t = 0; t < o->extra[i].n; t++) {
			if (n == PW_SERIES_MAX_TABLES)
				return pw_err_set(
					err, EINVAL,
					"%s: there are too many tables in one series",
					o->extra[i].name);
			all[n++] = o->extra[i].tables[t];
		}
	s->out = pw_series_create(o->path, all, n, err);
	return s->out ? 0 : -EIO;
}

static int open_root(struct pw_system *s, const char *root, struct pw_err *err)
{
	s->root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->root < 0)
		return pw_err_set(err, errno, "%s: %s", root, strerror(errno));
	return 0;
}

struct pw_system *pw_system_open(const struct pw_system_opts *o,
				 struct pw_err *err)
{
	struct pw_system *s = pw_zalloc(sizeof(*s));

	s->root = -1;
	s->interval_ns = o->interval_ns;
	s->now_ns = o->now_ns ?: real_now;
	s->now_ctx = o->now_ctx;
	s->extra = o->extra;
	s->n_extra = o->n_extra;
	s->extras = pw_zalloc((o->n_extra + 1) * sizeof(*s->extras));
	s->is_fresh = true;
	s->is_this_machine = !o->root;
	for (const char *const *t = o->tasks; t && *t; t++)
		pw_strings_add(&s->tasks, pw_strdup(*t));
	if (choose_sources(s, o, err) || open_root(s, o->root ?: "/", err) ||
	    open_file(s, o, err)) {
		pw_system_close(s, NULL);
		return NULL;
	}
	s->next_ns = s->now_ns(s->now_ctx);
	return s;
}

int pw_system_close(struct pw_system *s, struct pw_err *err)
{
	int ret;

	if (!s)
		return 0;
	ret = pw_series_finish(s->out, err);
	for (uint32_t i = 0; i < PW_SYSTEM_N_SOURCES; i++)
		files_release(&s->sources[i].files);
	for (uint32_t t = 0; t < N_TABLES; t++)
		roster_release(&s->rosters[t]);
	processes_free(s->processes);
	threads_free(s->threads);
	cgroups_free(s->cgroups);
	nics_free(s->nics);
	mounts_free(s->mounts);
	watches_release(s);
	pw_strings_free(s->tasks);
	free(s->extras);
	free(s->reading.data);
	if (s->root >= 0)
		close(s->root);
	free(s);
	return ret;
}
