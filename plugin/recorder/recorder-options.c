// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorder's command line, which perf wasm record writes and has checked:
 * times are in ns, lists are split here.
 */
#include "recorder-impl.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum key {
	DIR_ = 1,
	NAME,
	INTERVAL,
	PERIOD,
	SOURCES,
	SKIP,
	TASK,
	PMU_CONFIG,
	RING,
	TRIGGER,
	TRIGGER_FOR,
	PID,
	BESIDE,
	QUIET,
};

static const struct option options[] = {
	{ "dir", required_argument, NULL, DIR_ },
	{ "name", required_argument, NULL, NAME },
	{ "interval", required_argument, NULL, INTERVAL },
	{ "period", required_argument, NULL, PERIOD },
	{ "sources", required_argument, NULL, SOURCES },
	{ "skip-sources", required_argument, NULL, SKIP },
	{ "task", required_argument, NULL, TASK },
	{ "pmu-config", required_argument, NULL, PMU_CONFIG },
	{ "ring", required_argument, NULL, RING },
	{ "trigger", required_argument, NULL, TRIGGER },
	{ "trigger-for", required_argument, NULL, TRIGGER_FOR },
	{ "pid", required_argument, NULL, PID },
	{ "beside", no_argument, NULL, BESIDE },
	{ "quiet", no_argument, NULL, QUIET },
	{ 0 }
};

static void split(char ***list, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, ",");

		if (n)
			pw_strings_add(list, pw_strndup(words, n));
		words += n + (words[n] == ',');
	}
}

static void take(struct recorder_opts *o, enum key key, const char *arg)
{
	uint64_t *times[] = { [INTERVAL] = &o->interval_ns,
			      [PERIOD] = &o->period_ns,
			      [RING] = &o->ring_ns,
			      [TRIGGER_FOR] = &o->trigger_for_ns };

	switch (key) {
	case DIR_:
		o->dir = arg;
		break;
	case NAME:
		o->name = arg;
		break;
	case INTERVAL:
	case PERIOD:
	case RING:
	case TRIGGER_FOR:
		*times[key] = strtoull(arg, NULL, 10);
		break;
	case SOURCES:
		split(&o->sources, arg);
		break;
	case SKIP:
		split(&o->skip, arg);
		break;
	case TASK:
		pw_strings_add(&o->tasks, pw_strdup(arg));
		break;
	case PMU_CONFIG:
		o->pmu_config = arg;
		break;
	case TRIGGER:
		pw_strings_add(&o->triggers, pw_strdup(arg));
		break;
	case PID:
		o->pid = (pid_t)strtol(arg, NULL, 10);
		break;
	case BESIDE:
		o->is_beside = true;
		break;
	case QUIET:
		o->is_quiet = true;
		break;
	}
}

void recorder_opts_init(struct recorder_opts *o, int argc, char **argv)
{
	int key;

	memset(o, 0, sizeof(*o));
	o->interval_ns = 1000000000;
	while ((key = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (key == '?')
			exit(2); /* getopt has said why */
		take(o, (enum key)key, optarg);
	}
	o->command = argv + optind;
	o->name = o->name ?: o->dir;
	if (o->dir)
		return;
	fprintf(stderr,
		"system-recorder is started by 'perf wasm record --system'\n");
	exit(2);
}

void recorder_opts_release(struct recorder_opts *o)
{
	pw_strings_free(o->sources);
	pw_strings_free(o->skip);
	pw_strings_free(o->tasks);
	pw_strings_free(o->triggers);
}
