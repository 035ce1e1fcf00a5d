// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options of perf wasm record: fills struct record by the rows of
 * record-options.def and says which of them do not go together. Knows nothing
 * of what they lead to.
 */
#include "record.h"

#include <string.h>

#define DAY_NS (24 * 3600 * 1000000000ULL)

/* The longest that is asked for in earnest: a year. */
#define MAX_TIME_NS   (366 * DAY_NS)
#define LEAST_TIME_NS 10000000ULL

/* Of an option without a letter the line of its row is the key. */
#define KEY(letter) ((letter) ?: 0x100 + __LINE__)

static const struct argp_option options[] = {
#define GROUP(heading) { NULL, 0, NULL, 0, heading, 0 },
#define OPTION(letter, name, arg, kind, field, help) \
	{ name, KEY(letter), arg, 0, help, 0 },
#include "record-options.def"
#undef GROUP
#undef OPTION
	{ 0 }
};

enum kind { FLAG, TEXT, WORDS, TIME, ASSIGN };

static const struct row {
	int key;
	enum kind kind;
	size_t at;
	const char *name;
} rows[] = {
#define GROUP(heading)
#define OPTION(letter, name, arg, kind, field, help) \
	{ KEY(letter), kind, offsetof(struct record, field), name },
#include "record-options.def"
#undef GROUP
#undef OPTION
};

static void take(const struct row *row, char *arg, struct argp_state *state)
{
	void *field = (char *)state->input + row->at;

	switch (row->kind) {
	case FLAG:
		*(bool *)field = true;
		break;
	case TEXT:
		*(const char **)field = arg;
		break;
	case ASSIGN:
		if (!strchr(arg, '='))
			argp_error(state,
				   "--%s: expected NAME=VALUE, found '%s'",
				   row->name, arg);
		cmd_words_add(field, arg);
		break;
	case WORDS:
		cmd_words_add(field, arg);
		break;
	case TIME:
		*(uint64_t *)field = cmd_time(state, row->name, arg,
					      LEAST_TIME_NS, MAX_TIME_NS);
		break;
	}
}

/* An option that only perf record has. */
static bool asks_perf(const struct record *r)
{
	return r->events.n || r->freq || r->count || r->more.n;
}

/* What only perf can tell. */
static bool asks_samples(const struct record *r)
{
	bool chains = r->graph || r->call_graph;

	return asks_perf(r) || r->sched || (chains && !r->bpf_wanted);
}

/* What perf and the kernel are to watch. */
static bool asks_tasks(const struct record *r)
{
	return asks_perf(r) || r->graph || r->call_graph || r->sched ||
	       r->bpf_wanted;
}

/* --- what goes together ------------------------------------------------------------ */

static void check_system(const struct record *r, const struct argp_state *state)
{
	bool own = r->no_sched || r->sources.n || r->skip_sources.n ||
		   r->tasks.n || r->pmu_config || r->ring_ns;

	if (own && !r->system)
		argp_error(
			state,
			"--no-sched, --sources, --skip-sources, --task, --pmu-config and --ring belong to --system");
	else if (r->sources.n && r->skip_sources.n)
		argp_error(state, "use one of --sources and --skip-sources");
	else if (r->no_sched && (r->sched || r->bpf_wanted))
		argp_error(state, "--no-sched with %s says two things",
			   r->sched ? "--sched" : "--bpf");
	else if (!r->ring_ns && (r->triggers.n || r->trigger_for_ns))
		argp_error(state,
			   "--trigger and --trigger-for belong to --ring");
	else if (r->trigger_for_ns && !r->triggers.n)
		argp_error(state, "--trigger-for belongs to --trigger");
	else if (r->ring_ns && r->spec)
		argp_error(state, "--ring keeps nothing of --runtime");
	else if (r->ring_ns && !r->all_cpus && !r->pid && asks_samples(r))
		argp_error(
			state,
			"a ring holds samples of all programs (-a) or of a process (-p PID): those of COMMAND would lose the names of its children's code");
	else if (r->ring_ns && r->interval_ns && r->ring_ns < r->interval_ns)
		argp_error(state, "--ring is shorter than --interval");
	record_check_sources(&r->sources, state);
	record_check_sources(&r->skip_sources, state);
	record_check_triggers(&r->triggers, state);
	record_check_pmu(r->pmu_config, state);
}

static void check(const struct record *r, const struct argp_state *state)
{
	bool guest = r->invoke || r->env.n || r->mounts.n || r->stdin_path;
	bool figures = r->bpf_wanted || r->system;

	if (record_wants_list(r))
		return;
	check_system(r, state);
	if (!r->command && r->spec)
		argp_error(
			state,
			"expected a module: perf wasm record --runtime RUNTIME MODULE");
	else if (!r->command && !r->pid && !r->all_cpus && !r->system)
		argp_error(
			state,
			"expected a command: perf wasm record [OPTION...] -- COMMAND");
	else if (!r->command && !r->pid && !r->all_cpus && asks_tasks(r))
		argp_error(
			state,
			"what is to be sampled or followed? expected a command, -p or -a");
	else if (guest && !r->spec)
		argp_error(
			state,
			"--invoke, --env, --mount and --stdin belong to --runtime");
	else if (r->bpf_wanted && r->sched)
		argp_error(state, "use one of --sched and --bpf");
	else if (!figures && (r->no_samples || r->interval_ns))
		argp_error(
			state,
			"--interval and --no-samples belong to --bpf and --system");
	else if (r->no_samples && (asks_perf(r) || r->sched))
		argp_error(
			state,
			"--no-samples with an option that asks perf for some says two things");
	else if (r->pid && r->command)
		argp_error(state,
			   "use one of --pid and a command, found '%s' too",
			   r->command[0]);
}

/*
 * What follows a command has options of its own. A module is followed by ours;
 * the guest's begin behind "--" or with the next word that is none. The module
 * is put right before them: what stands there was read.
 */
static void take_word(struct record *r, struct argp_state *state)
{
	char **word = &state->argv[state->next - 1];

	if (r->command) {
		word[-1] = r->command[0];
		word--;
	}
	if (!r->spec || r->command)
		state->next = state->argc;
	r->has_args = r->command != NULL;
	r->command = word;
}

/* Behind a module without arguments there may have been options of ours. */
static void end_command(struct record *r, const struct argp_state *state)
{
	if (!r->spec || !r->command || r->has_args)
		return;
	state->argv[state->argc - 1] = r->command[0];
	r->command = &state->argv[state->argc - 1];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record *r = state->input;

	if (key == ARGP_KEY_ARG) {
		take_word(r, state);
		return 0;
	}
	if (key == ARGP_KEY_END) {
		end_command(r, state);
		check(r, state);
		return 0;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].key == key) {
			take(&rows[i], arg, state);
			return 0;
		}
	return ARGP_ERR_UNKNOWN;
}

const struct argp record_argp = {
	.options = options,
	.parser = parse,
	.args_doc =
		"-- COMMAND [ARG...]\n--runtime RUNTIME MODULE [-- ARG...]\n--system [-a] [--period TIME]",
	.doc = "Records what COMMAND does with perf record, and keeps in one directory what it takes to find its Wasm functions in it: samples on the clock of jitdumps, the jitdumps themselves, perf maps, modules, kernel symbols. Adds the flag with which a known runtime shows its machine code, and says so. With --system the metrics of the whole machine are in the capture, too, or alone.",
};
