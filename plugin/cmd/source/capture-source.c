// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a capture into a profile: finds it, adds the modules, artifacts and
 * dumps that are known of it, and keeps what the options ask for. Counts
 * nothing itself.
 */
#include "capture-source.h"
#include "../capture-files.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	KEY_TASK = 0x800,
	KEY_MODULE,
	KEY_TIME,
	KEY_WASM_ONLY,
	KEY_WASM,
	KEY_JITDUMP,
	KEY_RUNTIME,
	KEY_PROVENANCE,
	KEY_SYMFS,
	KEY_KALLSYMS,
	KEY_NO_LOCAL
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The capture:", 50 },
	{ "input", 'i', "CAPTURE", 0,
	  "Read this directory or perf.data (perf-wasm.data, else perf.data); '-' is a pipe from perf record -o -",
	  50 },
	{ "wasm", KEY_WASM, "FILE", 0,
	  "A module (.wasm) or Wasmtime artifact (.cwasm) that ran; may be repeated",
	  50 },
	{ "jitdump", KEY_JITDUMP, "FILE", 0,
	  "A jitdump that the capture does not name; may be repeated", 50 },
	{ "runtime", KEY_RUNTIME, "RUNTIME", 0,
	  "Compile the modules on this runtime, for what it tells of its code and the capture does not; it must be the release that ran",
	  50 },
	{ "provenance", KEY_PROVENANCE, NULL, 0,
	  "With --runtime: also compile mutants of hot functions, to find what the runtime tells nothing of; takes seconds",
	  50 },
	{ "symfs", KEY_SYMFS, "DIR", 0,
	  "Look for recorded files below this directory", 50 },
	{ "kallsyms", KEY_KALLSYMS, "FILE", 0, "The kernel's symbols", 50 },
	{ "no-local", KEY_NO_LOCAL, NULL, 0,
	  "Of another machine: read no files of this one but those that are given",
	  50 },
	{ NULL, 0, NULL, 0, "What of it:", 51 },
	{ "task", KEY_TASK, "TASK", 0,
	  "Only this task, by name, pid or tid; may be repeated", 51 },
	{ "module", KEY_MODULE, "NAME", 0,
	  "Only code of this module or file; may be repeated", 51 },
	{ "time", KEY_TIME, "FROM,TO", 0,
	  "Only these seconds of the capture's clock, or 10%-20% of it; either end may be left out",
	  51 },
	{ "wasm-only", KEY_WASM_ONLY, NULL, 0,
	  "Only samples in Wasm code, and only its frames in call chains", 51 },
	{ 0 }
};

void cmd_source_take(struct source *s, const char *path,
		     const struct argp_state *state)
{
	if (s->path)
		argp_error(state, "expected one capture, found '%s' and '%s'",
			   s->path, path);
	s->path = path;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct source *s = state->input;

	switch (key) {
	case 'i':
		cmd_source_take(s, arg, state);
		return 0;
	case KEY_TASK:
		cmd_words_add(&s->tasks, arg);
		return 0;
	case KEY_MODULE:
		cmd_words_add(&s->modules, arg);
		return 0;
	case KEY_TIME:
		s->time = arg;
		return 0;
	case KEY_WASM_ONLY:
		s->wasm_only = true;
		return 0;
	case KEY_WASM:
		cmd_words_add(&s->wasm, arg);
		return 0;
	case KEY_JITDUMP:
		cmd_words_add(&s->jitdumps, arg);
		return 0;
	case KEY_RUNTIME:
		s->runtime = arg;
		return 0;
	case KEY_PROVENANCE:
		s->provenance = true;
		return 0;
	case ARGP_KEY_END:
		if (s->provenance && !s->runtime)
			argp_error(
				state,
				"--provenance: say on which runtime with --runtime");
		return 0;
	case KEY_SYMFS:
		s->symfs = arg;
		return 0;
	case KEY_NO_LOCAL:
		s->no_local = true;
		return 0;
	case KEY_KALLSYMS:
		s->kallsyms = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_source_argp = { .options = options, .parser = parse };

/* --- which ------------------------------------------------------------------------- */

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static int choose(struct source *s, struct pw_err *err)
{
	const char *slash;

	if (!s->path && is_dir("perf-wasm.data"))
		s->path = "perf-wasm.data";
	if (!s->path && access("perf.data", R_OK))
		return pw_err_set(
			err, ENOENT,
			"there is no perf-wasm.data and no perf.data here: name a capture, or make one with 'perf wasm record -- COMMAND'");
	if (!s->path)
		s->path = "perf.data";
	if (!strcmp(s->path, "-")) {
		s->data = pw_strdup("-");
		return 0;
	}
	s->data = cmd_ring_samples(s->path);
	/* what the kernel kept is enough for the scheduler's figures alone */
	if ((is_dir(s->path) && !access(s->data, F_OK)) ||
	    (is_dir(s->path) && s->sched && cmd_source_has_series(s)) ||
	    (s->with_system && cmd_source_has_system(s))) {
		s->dir = pw_strdup(s->path);
		return 0;
	}
	if (is_dir(s->path) && cmd_source_is_other(s, err))
		return -ENOENT;
	free(s->data);
	slash = strrchr(s->path, '/');
	s->dir = slash ? pw_strndup(s->path, (size_t)(slash + 1 - s->path))
		       : pw_strdup(".");
	s->data = pw_strdup(s->path);
	return 0;
}

/* --- what is known of it -------------------------------------------------------------- */

/* The next fact of a file that `perf wasm record` wrote: its key, or NULL at
 * the end; the value is the caller's. */
static bool next_fact(const struct pw_file *f, size_t *at, char key[16],
		      char **value)
{
	const char *p = (const char *)f->data + *at;
	size_t left = f->size - *at, len, n;
	const char *end = left ? memchr(p, '\n', left) : NULL;
	char *to;

	if (!end)
		return false;
	*at += (size_t)(end + 1 - p);
	for (len = 0; len < 15 && p + len < end && p[len] != '\t'; len++)
		key[len] = p[len];
	key[len] = 0;
	p += len + (p + len < end);
	*value = to = pw_alloc((size_t)(end - p) + 1);
	for (; p < end; p += n) {
		unsigned byte;

		n = 1;
		if (*p == '%' && end - p > 2 &&
		    sscanf(p + 1, "%2x", &byte) == 1)
			n = 3;
		*to++ = n == 3 ? (char)byte : *p;
	}
	*to = 0;
	return true;
}

/* A module by name, and -1 for one that cannot be read: others may be. */
static int add_module(struct source *s, const char *path)
{
	struct pw_err err = { .off = PW_NO_OFF };
	int module = pw_space_add_module(s->space, path, &err);

	if (module < 0)
		cmd_fail(&err);
	return module < 0 ? -1 : module;
}

static void add_artifact(struct source *s, const char *path, int module)
{
	struct pw_err err = { .off = PW_NO_OFF };

	if (pw_space_add_artifact(s->space, path, module, &err))
		cmd_fail(&err);
}

/* Modules and artifacts of the directory; an artifact "X.wasm.elf" is of the
 * module "X.wasm", which stands before it. */
static void add_recorded(struct source *s)
{
	char key[16], *value, *last = NULL;
	int module = -1;
	size_t at = 0;

	while (next_fact(&s->facts_file, &at, key, &value)) {
		char *path = pw_asprintf("%s/%s", s->dir, value);
		size_t n = last ? strlen(last) : 0;

		if (strchr(value, '/')) {
			/* names of files in the directory, no others */
		} else if (!strcmp(key, "module")) {
			module = add_module(s, path);
			free(last);
			last = pw_strdup(value);
		} else if (!strcmp(key, "artifact") && !access(path, R_OK)) {
			bool own = n && !strncmp(value, last, n) &&
				   !strcmp(value + n, ".elf");

			add_artifact(s, path, own ? module : -1);
		}
		free(path);
		free(value);
	}
	free(last);
}

static int add_given(struct source *s, struct pw_err *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < s->wasm.n; i++) {
		const char *kind = capture_kind_of(s->wasm.v[i]);

		if (kind && !strcmp(kind, "artifact"))
			ret = pw_space_add_artifact(s->space, s->wasm.v[i], -1,
						    err);
		else
			ret = pw_space_add_module(s->space, s->wasm.v[i], err);
		ret = ret < 0 ? ret : 0;
	}
	for (size_t i = 0; !ret && i < s->jitdumps.n; i++)
		ret = pw_space_add_jitdump(s->space, s->jitdumps.v[i], 0, err);
	if (!ret && s->kallsyms)
		ret = pw_space_add_kallsyms(s->space, s->kallsyms, err);
	return ret;
}

/* Of a plain perf.data: what perf's command line names, where it is still
 * there. */
static void add_named(struct source *s, const struct pw_capture_facts *facts)
{
	if (s->facts_file.data || s->wasm.n || s->no_local)
		return;
	for (uint32_t i = 0; i < facts->n_argv; i++) {
		const char *kind = capture_kind_of(facts->argv[i]);
		int ret;

		if (!kind)
			continue;
		ret = !strcmp(kind, "module")
			      ? pw_space_add_module(s->space, facts->argv[i],
						    NULL)
			      : pw_space_add_artifact(s->space, facts->argv[i],
						      -1, NULL);
		if (ret >= 0)
			cmd_words_add(&s->from_command,
				      pw_strdup(facts->argv[i]));
	}
}

/* Records from here on are those of the recorder, not of the kernel. */
#define FIRST_USER_RECORD 64

/* --- all --------------------------------------------------------------------------------------- */

/* A runtime of another release makes other code: then nothing was joined. */
static void check_code(const struct source *s)
{
	enum pw_off_source source = PW_OFF_NONE;
	struct pw_hit h;
	bool any = false;

	for (uint32_t i = 0; i < pw_profile_n_hits(s->profile); i++) {
		pw_profile_hit(s->profile, i, &h);
		if (h.piece->sym->kind != PW_PLACE_WASM)
			continue;
		any = true;
		if (pw_space_wasm_off(s->space, h.piece, h.off, &source) !=
		    PW_NO_OFF)
			return;
	}
	if (s->runtime && any)
		cmd_error(
			"what %s makes of the modules is not the code of the capture: another release or other options ran",
			s->runtime);
}

/* Before the first record of a task is looked up. */
static int on_facts(struct source *s, const struct pw_capture_facts *facts,
		    struct pw_err *err)
{
	pw_space_facts(s->space, facts);
	add_named(s, facts);
	return s->runtime ? cmd_source_compile(s, err) : 0;
}

/* Chains, or samples that are no tracepoints: functions can be told. */
static bool tells_functions(const struct pw_capture *c)
{
	for (uint32_t i = 0; i < pw_capture_n_attrs(c); i++) {
		const struct pw_attr *a = pw_capture_attr(c, i);
		bool is_dummy = a->type == PERF_TYPE_SOFTWARE &&
				a->config == PERF_COUNT_SW_DUMMY;

		if (a->sample_type & PERF_SAMPLE_CALLCHAIN ||
		    (a->type != PERF_TYPE_TRACEPOINT && !is_dummy))
			return true;
	}
	return false;
}

/* A pipe tells its facts first, in records of perf's own. */
static int feed(struct source *s, struct pw_capture *c, struct pw_err *err)
{
	struct pw_waits *waits = cmd_source_waits(s, err);
	bool has_facts = false, is_profiled = true;
	struct pw_event ev;
	int ret;

	while ((ret = pw_capture_next(c, &ev, err)) > 0) {
		if (!has_facts && ev.type < FIRST_USER_RECORD) {
			has_facts = true;
			is_profiled = !s->sched || tells_functions(c);
			ret = on_facts(s, pw_capture_facts(c), err);
			if (ret) {
				pw_profile_free(s->profile);
				s->profile = NULL;
				pw_profile_waits_close(waits);
				return ret;
			}
		}
		if (s->sched)
			pw_sched_event(s->sched, c, &ev);
		if (waits && ev.time_ns != PW_NO_TIME)
			pw_profile_waits(waits, s->profile, ev.time_ns, NULL);
		if (is_profiled)
			pw_profile_event(s->profile, c, &ev);
	}
	if (waits && !ret)
		ret = pw_profile_waits(waits, s->profile, UINT64_MAX, err);
	pw_profile_waits_close(waits);
	pw_profile_end(s->profile, c);
	if (s->sched)
		pw_sched_end(s->sched, c);
	if (!ret && s->provenance)
		ret = cmd_source_provenance(s, err);
	if (!ret)
		check_code(s);
	return ret;
}

static int read_profile(struct source *s, struct pw_capture *c,
			struct pw_err *err)
{
	const struct pw_capture_facts *facts = pw_capture_facts(c);
	int ret = cmd_source_times(s, facts, err);

	if (ret)
		return ret;
	s->opts.tasks = s->tasks.v;
	s->opts.modules = s->modules.v;
	s->opts.wasm_only = s->wasm_only;
	s->profile = pw_profile_new(s->space, &s->opts);
	ret = feed(s, c, err);
	if (facts->has_clock_data && facts->wall_clock_ns > facts->clock_ns)
		s->epoch_ns = facts->wall_clock_ns - facts->clock_ns;
	return ret;
}

int cmd_source_read(struct source *s, struct pw_err *err)
{
	/* each member of a sampled group counts, as in perf report */
	static const struct pw_capture_opts opts = { .split_reads = true };
	struct pw_capture *c;
	int ret = choose(s, err);

	if (ret || cmd_source_cdict(s, &ret, err))
		return ret;
	s->space = pw_space_new(&(struct pw_space_opts){
		.dir = s->dir, .root = s->symfs, .no_local = s->no_local });
	if (s->dir) {
		char *facts = pw_asprintf("%s/facts", s->dir);

		if (!pw_file_open(&s->facts_file, facts, NULL))
			add_recorded(s);
		free(facts);
	}
	ret = add_given(s, err);
	if (!ret)
		ret = cmd_source_join(s, err);
	if (ret)
		return ret;
	if (s->sched && s->dir && cmd_source_has_series(s)) {
		ret = cmd_source_series(s, err);
		if (ret)
			return ret;
		if (access(s->data, F_OK)) {
			pw_sched_end(s->sched, NULL);
			return 0;
		}
	}
	if (s->with_system && s->dir && access(s->data, F_OK) &&
	    cmd_source_has_system(s))
		return 0;
	c = pw_capture_open(s->data, &opts, err);
	if (!c)
		return -EINVAL;
	ret = read_profile(s, c, err);
	pw_capture_close(c);
	return ret;
}

void cmd_source_release(struct source *s)
{
	if (s->box)
		pw_remove_tree(s->box, NULL);
	free(s->box);
	pw_profile_free(s->profile);
	pw_space_free(s->space);
	pw_file_close(&s->facts_file);
	for (size_t i = 0; i < s->from_command.n; i++)
		free((char *)s->from_command.v[i]);
	free(s->from_command.v);
	free(s->tasks.v);
	free(s->modules.v);
	free(s->wasm.v);
	free(s->jitdumps.v);
	free(s->dir);
	free(s->data);
}

void cmd_source_report(const struct source *s, struct pw_report *r)
{
	struct pw_node *n = NULL, *t = NULL;
	char key[16], *value;
	size_t at = 0;
	int note = 0;

	if (s->facts_file.size || s->from_command.n)
		n = pw_section(pw_report_root(r), "recorded",
			       "As it was recorded");
	for (size_t i = 0; i < s->from_command.n; i++)
		pw_fact_str(n, "module", "Module, from the command line",
			    s->from_command.v[i]);
	while (next_fact(&s->facts_file, &at, key, &value)) {
		if (!strcmp(key, "runtime"))
			pw_fact_str(n, "runtime", "Runtime", value);
		if (!strcmp(key, "started"))
			pw_fact_str(n, "started", "Started", value);
		if (!strcmp(key, "note") && !t) {
			t = pw_table(n, "notes", NULL);
			note = pw_column(t, "note", "Note", PW_UNIT_NONE, 0);
		}
		if (!strcmp(key, "note")) {
			pw_row(t);
			pw_cell_str(t, note, value);
		}
		free(value);
	}
}

int cmd_source_event(const struct source *s, const char *name, uint32_t *event,
		     struct pw_err *err)
{
	struct pw_buf all = { 0 };
	uint32_t n = pw_profile_n_events(s->profile);

	*event = UINT32_MAX;
	if (!name)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		const char *have = pw_profile_event_info(s->profile, i)->name;

		if (!strcmp(have, name))
			*event = i;
		pw_buf_printf(&all, "%s%s", i ? ", " : "", have);
	}
	if (*event == UINT32_MAX)
		pw_err_set(err, ENOENT,
			   "the capture has no event %s; it has %s", name,
			   pw_buf_str(&all));
	pw_buf_release(&all);
	return *event == UINT32_MAX ? -ENOENT : 0;
}
