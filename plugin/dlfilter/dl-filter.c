// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf-wasm.so: a dlfilter for `perf script`. Gives every sample to a profile
 * and prints the tables of `perf wasm report` at the end, and nothing before
 * it. Of a file, the other records are read beside perf; from a pipe, perf is
 * asked for names. It is not asked for those of a file: it would load all
 * symbols of all files, which takes longer than everything else.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "dlfilter-abi.h"
#include "dlfilter.h"

/* The one variable: perf writes it once, before start(). */
struct perf_dlfilter_fns perf_dlfilter_fns;

static void say(const struct pw_err *err)
{
	fflush(stdout);
	fprintf(stderr, "perf-wasm.so: %s\n", err->msg);
}

void dl_note(struct dl_filter *f, const char *fmt, ...)
{
	va_list ap;
	char *s;

	if (f->n_notes == sizeof(f->notes) / sizeof(*f->notes))
		return;
	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	f->notes[f->n_notes++] = s;
}

/* --- what perf knows ------------------------------------------------------------ */

/* Memory that no file of code was mapped to; perf names a map of symbols for
 * it that may not be there. */
static bool is_made(const char *dso)
{
	return !dso || !strncmp(dso, "/tmp/perf-", 10) ||
	       !strncmp(dso, "//anon", 6) || !strncmp(dso, "[anon", 5) ||
	       !strncmp(dso, "/memfd:", 7) || !strncmp(dso, "/dev/zero", 9) ||
	       !strncmp(dso, "[heap]", 6) || !strcmp(dso, "[unknown]");
}

static bool resolve(void *ctx, uint32_t pid, uint64_t addr,
		    struct pw_native *out)
{
	struct perf_dlfilter_al al = { .size = sizeof(al) };
	struct dl_filter *f = ctx;

	(void)pid; /* it is that of the sample, or the kernel's */
	if (!f->ctx || !perf_dlfilter_fns.resolve_address ||
	    perf_dlfilter_fns.resolve_address(f->ctx, addr, &al))
		return false;
	if (!al.is_kernel_ip && is_made(al.dso)) {
		f->missed = true;
		if (!al.sym)
			return false;
	}
	*out = (struct pw_native){ .name = al.sym,
				   .dso = al.dso,
				   .is_kernel = al.is_kernel_ip };
	if (al.sym && al.sym_end > al.sym_start) {
		out->off = al.symoff;
		out->start = addr - al.symoff;
		out->size_bytes = al.sym_end - al.sym_start;
	}
	return al.sym || al.dso;
}

/*
 * A task's name, asked for often at first and then now and then: for every
 * sample it would cost more than all else. NULL: as before.
 */
static const char *comm_of(struct dl_filter *f, uint32_t pid, uint32_t tid)
{
	struct dl_task *t = &f->tasks[tid % DL_N_TASKS];
	const struct perf_dlfilter_al *al;

	if (t->pid != pid || t->tid != tid)
		*t = (struct dl_task){ .pid = pid, .tid = tid };
	t->n++;
	if ((t->n > 64 && t->n % 64) || !perf_dlfilter_fns.resolve_ip)
		return NULL;
	al = perf_dlfilter_fns.resolve_ip(f->ctx);
	return al && al->size >= sizeof(*al) ? al->comm : NULL;
}

/* --- a sample --------------------------------------------------------------------- */

static struct dl_event *event_of(struct dl_filter *f,
				 const struct perf_dlfilter_sample *s)
{
	const char *name = s->event ? s->event : "unknown";
	struct dl_event *e;

	for (e = f->events; e < f->events + f->n_events; e++)
		if (e->name == s->event)
			return e;
	if (f->n_events == DL_N_EVENTS)
		e--; /* the last slot goes round */
	else
		f->n_events++;
	e->name = s->event;
	e->idx = pw_profile_add_event(f->profile, name);
	e->is_sched = dl_formats_set(f, e->idx, name, s->raw_size);
	return e;
}

/* From a pipe: the code must be known before the profile asks for it. */
static void ask_perf(struct dl_filter *f, const struct perf_dlfilter_sample *s,
		     struct pw_push *p)
{
	struct pw_place place;

	p->comm = comm_of(f, p->pid, p->tid);
	f->missed = false;
	if (s->cpumode == PERF_RECORD_MISC_USER)
		pw_space_find(f->space, p->pid, s->cpumode, s->ip, s->time,
			      &place);
	if (f->missed)
		dl_code_look(f, p->pid);
}

static void push(struct dl_filter *f, const struct perf_dlfilter_sample *s,
		 const struct dl_event *e)
{
	struct pw_push p = {
		.event = e->idx,
		.pid = (uint32_t)s->pid,
		.tid = (uint32_t)s->tid,
		.cpu = (uint32_t)s->cpu,
		.time_ns = s->time,
		.ip = s->ip,
		.period = s->period,
		.cpumode = s->cpumode,
		.raw = s->raw_data,
		.raw_size = s->raw_size,
	};

	if (f->opts.children || e->is_sched) {
		p.callchain = s->raw_callchain;
		p.n_callchain = s->raw_callchain_nr;
	}
	if (!f->records)
		ask_perf(f, s, &p);
	pw_profile_push(f->profile, &p);
}

static bool is_alone(const struct dl_filter *f, const struct dl_event *e,
		     uint8_t cpumode)
{
	return !f->records || f->opts.children || e->is_sched ||
	       (f->is_timed && cpumode != PERF_RECORD_MISC_KERNEL);
}

static void before_sample(struct dl_filter *f, uint64_t time_ns)
{
	if (!f->is_lent)
		dl_mapped_lend(f);
	f->is_lent = true;
	dl_records_until(f, time_ns);
}

static void take(struct dl_filter *f, const struct perf_dlfilter_sample *s,
		 void *ctx)
{
	struct dl_event *e = event_of(f, s);

	if (f->records && (s->time > f->quiet_ns || !f->has_facts))
		before_sample(f, s->time);
	f->ctx = ctx;
	if (is_alone(f, e, s->cpumode))
		push(f, s, e);
	else
		dl_batch_add(f->batch,
			     &(struct dl_alike){ .ip = s->ip,
						 .period = s->period,
						 .pid = (uint32_t)s->pid,
						 .tid = (uint32_t)s->tid,
						 .n = 1,
						 .event = (uint16_t)e->idx,
						 .cpumode = s->cpumode },
			     s->time, f->profile);
	f->ctx = NULL;
}

static bool fits(struct dl_filter *f, const struct perf_dlfilter_sample *s)
{
	if (s->size >= sizeof(*s))
		return true;
	f->n_short++;
	return false;
}

int filter_event_early(void *data, const struct perf_dlfilter_sample *s,
		       void *ctx)
{
	struct dl_filter *f = data;

	if (f->is_late)
		return 0;
	if (fits(f, s))
		take(f, s, ctx);
	return 1;
}

int filter_event(void *data, const struct perf_dlfilter_sample *s, void *ctx)
{
	struct dl_filter *f = data;

	if (fits(f, s))
		take(f, s, ctx);
	return 1;
}

/* --- the begin ---------------------------------------------------------------------- */

static void release(struct dl_filter *f)
{
	pw_profile_free(f->profile);
	pw_space_free(f->space);
	pw_capture_close(f->records);
	free(f->path);
	free(f->dir);
	free(f->looked);
	dl_batch_free(f->batch);
	for (uint32_t i = 0; i < f->n_notes; i++)
		free(f->notes[i]);
	free(f);
}

static int read_options(struct dl_filter *f, void *ctx, struct pw_err *err)
{
	char **args = NULL;
	int n = 0, ret;

	if (perf_dlfilter_fns.args)
		args = perf_dlfilter_fns.args(ctx, &n);
	ret = dl_options_parse(&f->opts, args ? n : 0, args, err);
	if (ret || !f->opts.sort)
		return ret;
	return pw_profile_check_sort(f->opts.sort, err);
}

static void find_capture(struct dl_filter *f)
{
	char *slash;

	f->path = dl_input_path();
	if (!f->path)
		return;
	f->dir = pw_strdup(f->path);
	slash = strrchr(f->dir, '/');
	if (slash)
		*slash = 0;
}

static int set_up(struct dl_filter *f, struct pw_err *err)
{
	struct pw_space_opts where = { .dir = f->opts.dir ? f->opts.dir
							  : f->dir };
	struct pw_profile_opts what = { .tasks = f->opts.tasks,
					.modules = f->opts.modules,
					.wasm_only = f->opts.wasm_only };
	int ret;

	if (!*what.tasks)
		what.tasks = NULL;
	if (!*what.modules)
		what.modules = NULL;
	f->space = pw_space_new(&where);
	f->profile = pw_profile_new(f->space, &what);
	f->batch = dl_batch_new();
	f->is_timed = *f->opts.jitdumps || *f->opts.artifacts;
	/* perf reads it: what we can't is no fault of the run */
	if (f->path)
		dl_records_open(f);
	if (!f->records)
		pw_space_set_resolver(f->space, resolve, f);
	ret = dl_code_add_named(f, err);
	if (!ret && f->records)
		dl_code_add_known(f);
	return ret;
}

int start(void **data, void *ctx)
{
	struct dl_filter *f = pw_zalloc(sizeof(*f));
	struct pw_err err = { 0 };
	int ret = read_options(f, ctx, &err);

	if (!ret) {
		find_capture(f);
		f->is_late = dl_input_is_filtered();
		ret = set_up(f, &err);
	}
	if (ret) {
		say(&err);
		release(f);
		return ret;
	}
	*data = f;
	return 0;
}

/* --- the end --------------------------------------------------------------------------- */

static void render(const struct dl_filter *f, const struct pw_report *r,
		   FILE *to)
{
	struct pw_render_opts o = { 0 };
	struct winsize size;

	if (!f->opts.output && isatty(STDOUT_FILENO) &&
	    !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		o.width = size.ws_col;
	if (f->opts.json)
		pw_render_json(r, to);
	else
		pw_render_text(r, &o, to);
}

static int put_out(const struct dl_filter *f, const struct pw_report *r,
		   struct pw_err *err)
{
	char *bytes = NULL;
	size_t size = 0;
	FILE *to;
	int ret;

	if (!f->opts.output) {
		render(f, r, stdout);
		fflush(stdout);
		return 0;
	}
	to = open_memstream(&bytes, &size);
	if (!to)
		return pw_err_set(err, ENOMEM, "no memory for the report");
	render(f, r, to);
	fclose(to);
	ret = pw_file_write(f->opts.output, bytes, size, err);
	free(bytes);
	return ret;
}

static int report(struct dl_filter *f, struct pw_err *err)
{
	struct pw_report *r = pw_report_new("report", NULL);
	struct pw_profile_report_opts o = { .sort = f->opts.sort,
					    .max_rows = f->opts.limit,
					    .children = f->opts.children };
	struct pw_node *s = NULL;
	char key[16];
	int ret;

	dl_batch_give(f->batch, f->profile);
	if (f->records)
		dl_records_rest(f);
	pw_profile_end(f->profile, f->records);
	pw_profile_headline(f->profile, f->path ? f->path : "CAPTURE", r);
	ret = pw_profile_report(f->profile, &o, r, err);
	if (!f->records)
		dl_note(f,
			"perf gives a dlfilter samples and no other records, which are read from a file only: lost events and SWITCH records are not counted here");
	if (f->n_notes)
		s = pw_section(pw_report_root(r), "dlfilter",
			       "Seen through perf script");
	for (uint32_t i = 0; i < f->n_notes; i++) {
		snprintf(key, sizeof(key), "note_%u", i + 1);
		pw_note(s, key, "%s.", f->notes[i]);
	}
	if (!ret)
		ret = put_out(f, r, err);
	pw_report_free(r);
	return ret;
}

int stop(void *data, void *ctx)
{
	struct dl_filter *f = data;
	struct pw_err err = { 0 };
	int ret;

	(void)ctx;
	if (!f)
		return 0;
	if (f->n_short)
		ret = pw_err_set(
			&err, EPROTO,
			"the samples of this perf lack what a dlfilter of Linux 5.14 has; use perf wasm report");
	else
		ret = report(f, &err);
	if (ret)
		say(&err);
	release(f);
	return ret;
}

const char *filter_description(const char **long_description)
{
	*long_description = dl_options_help;
	return "perf-wasm: tables of tasks, functions, WebAssembly and machine opcodes, on and off the CPU";
}
