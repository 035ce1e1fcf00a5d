// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the commands that run guests share on the command line. Knows nothing of
 * what they do with guests.
 */
#include "guest-options.h"

#include <perfwasm/measure.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	KEY_INVOKE = 0x800,
	KEY_ENV,
	KEY_MOUNT,
	KEY_WRITABLE,
	KEY_STDIN,
	KEY_WALL,
	KEY_MEMORY,
};

static const struct argp_option options[] = {
	{ "invoke", KEY_INVOKE, "EXPORT", 0,
	  "Call this function, not _start; it takes no arguments", 0 },
	{ "env", KEY_ENV, "NAME=VALUE", 0,
	  "Set a variable for the guest; may be repeated", 0 },
	{ "mount", KEY_MOUNT, "DIR[::GUEST]", 0,
	  "Let the guest see this directory, read-only; may be repeated", 0 },
	{ "writable", KEY_WRITABLE, NULL, 0,
	  "Let the guest write to what is mounted", 0 },
	{ "stdin", KEY_STDIN, "FILE", 0, "What the guest reads (nothing)", 0 },
	{ "wall-limit", KEY_WALL, "SECONDS", 0,
	  "End a run that takes longer (120)", 0 },
	{ "memory-limit", KEY_MEMORY, "MIB", 0,
	  "End a run that wants more memory (4096)", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct guest_opts *g = state->input;

	switch (key) {
	case KEY_INVOKE:
		g->guest.invoke = arg;
		return 0;
	case KEY_ENV:
		if (!strchr(arg, '='))
			argp_error(state,
				   "--env: expected NAME=VALUE, found '%s'",
				   arg);
		cmd_words_add(&g->env, arg);
		g->guest.env = g->env.v;
		return 0;
	case KEY_MOUNT:
		cmd_words_add(&g->mounts, arg);
		g->guest.dirs = g->mounts.v;
		return 0;
	case KEY_WRITABLE:
		g->guest.dirs_writable = true;
		return 0;
	case KEY_STDIN:
		g->guest.stdin_path = arg;
		return 0;
	case KEY_WALL:
		g->guest.wall_limit_ns =
			cmd_number(state, "--wall-limit", arg, 1000000) *
			UINT64_C(1000000000);
		return 0;
	case KEY_MEMORY:
		g->guest.memory_limit_bytes =
			cmd_number(state, "--memory-limit", arg, 1 << 24) << 20;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp guest_argp = { .options = options, .parser = parse };

void guest_release(struct guest_opts *g)
{
	free(g->argv.v);
	free(g->env.v);
	free(g->mounts.v);
}

char *guest_default_dir(const char *name, const char *path, uint64_t hash)
{
	char *real = realpath(path, NULL);
	const char *base = strrchr(real ? real : path, '/');
	size_t len;
	char *dir;

	base = base ? base + 1 : path;
	len = strcspn(base, ".");
	hash = pw_hash(path, strlen(path), hash);
	dir = pw_asprintf("%s-%.*s-%08x", name, (int)(len ? len : 1), base,
			  (unsigned)hash);
	free(real);
	return dir;
}

/* --- the terminal ---------------------------------------------------------------- */

static unsigned stderr_width(void)
{
	struct winsize size;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col > 20)
		return size.ws_col;
	return 80;
}

void guest_progress(const char *fmt, ...)
{
	char *text, *safe;
	va_list ap;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	safe = pw_visible(text ? text : "");
	fprintf(stderr, "\r\033[K%.*s", (int)stderr_width() - 1, safe);
	fflush(stderr);
	free(safe);
	free(text);
}

static void on_signal(int sig)
{
	(void)sig;
	pw_measure_interrupt();
}

void guest_begin(const struct cmd_opts *common)
{
	struct sigaction sa = { .sa_handler = on_signal };
	struct pw_err err = { .off = PW_NO_OFF };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	if (!common->quiet && pw_sandbox_probe(&err))
		cmd_error("guests run without the whole sandbox: %s", err.msg);
}

int guest_end(int ret, struct pw_report *r, const char *dir,
	      const struct cmd_opts *common, const struct pw_err *err)
{
	if (!common->quiet)
		guest_progress("%s", "");
	if (ret == -EINTR) {
		cmd_error(
			"ended; the same command goes on with it (journal: %s/journal)",
			dir);
		return CMD_FAILED;
	}
	return ret ? cmd_fail(err) : cmd_report(r, common);
}
