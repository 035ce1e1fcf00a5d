/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A host that speaks the protocol and misbehaves as the module path of each
 * request says. A test program is its own host: its main() hands over to
 * fake_host_main() when it is started as `PROGRAM host START`.
 *
 *	path of the module	what it does
 *	/ok:N			ok after N ns of CPU time
 *	/seq:A,B,C		ok; the host's 1st, 2nd, ... request takes A, B, ...
 *	/end:OUTCOME:CODE	that outcome, that exit code
 *	/flip:N			ok, but exit from the Nth request on
 *	/die			aborts; "last words" on stderr before
 *	/leave:CODE		exits without an answer
 *	/silent			says nothing, ignores SIGTERM
 *	/close			closes its stdout and stays
 *	/garbage		says what is no reply
 *	/huge			a line without end
 *	/flood			stderr without end
 *	/wrongid		answers another request
 *	/twice			answers, and again
 *	/idle-die		answers, then dies
 *	/daemon:FILE		a process outside its group locks FILE; then ok
 *	/daemon-die:FILE	the same, but dies
 *	/deaf			answers, then reads no more
 *	/count			ok; cpu_ns is the number of this host's request
 */
#ifndef TEST_FAKE_HOST_H
#define TEST_FAKE_HOST_H

#include <perfwasm/measure.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char fake_request[1 << 20];
static unsigned fake_n_requests;

/* The value of KEY; what these tests send needs no decoding. */
static char *fake_field(const char *key)
{
	char *p = strstr(fake_request, key);

	p = p ? pw_strdup(p + strlen(key)) : pw_strdup("");
	p[strcspn(p, "\t\n")] = 0;
	return p;
}

static void fake_done(const char *id, const char *outcome, uint64_t cpu_ns,
		      int code)
{
	printf("done\tid=%s\toutcome=%s\tcompile_ns=0\tcpu_ns=%llu\twall_ns=0\texit_code=%d\n",
	       id, outcome, (unsigned long long)cpu_ns, code);
	fflush(stdout);
}

static void __attribute__((noreturn)) fake_stay(void)
{
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static void __attribute__((noreturn)) fake_repeat(int fd, const char *s)
{
	for (;;)
		if (write(fd, s, strlen(s)) < 0)
			_exit(1);
}

static void fake_daemon(const char *file)
{
	int p[2];
	char c;

	if (pipe(p) < 0)
		_exit(9);
	if (!fork()) {
		setsid();
		if (fork())
			_exit(0);
		/* keeps the host's own descriptors open, too */
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (flock(open(file, O_RDWR | O_CREAT, 0600), LOCK_EX) == 0)
			(void)!write(p[1], "x", 1);
		fake_stay();
	}
	close(p[1]);
	if (read(p[0], &c, 1) != 1)
		_exit(9);
	close(p[0]);
}

static uint64_t fake_nth(const char *list, unsigned n)
{
	for (; n > 1 && strchr(list, ','); n--)
		list = strchr(list, ',') + 1;
	return strtoull(list, NULL, 10);
}

/* The value after the colon when the path begins with WORD. */
static const char *fake_is(const char *path, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(path, word, n) || (path[n] && path[n] != ':'))
		return NULL;
	return path[n] ? path + n + 1 : "";
}

/* Those that end the host or never answer. */
static void fake_misbehave(const char *path)
{
	const char *v;

	if (fake_is(path, "/die")) {
		fprintf(stderr, "first words\nlast words\n\n");
		abort();
	}
	v = fake_is(path, "/leave");
	if (v)
		_exit(atoi(v));
	if (fake_is(path, "/silent"))
		fake_stay();
	if (fake_is(path, "/close")) {
		close(1);
		fake_stay();
	}
	if (fake_is(path, "/garbage")) {
		printf("what is this?\n");
		fflush(stdout);
		fake_stay();
	}
	if (fake_is(path, "/huge"))
		fake_repeat(1, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
	if (fake_is(path, "/flood"))
		fake_repeat(2, "all work and no play makes a dull host\n");
	v = fake_is(path, "/daemon-die");
	if (v) {
		fake_daemon(v);
		_exit(3);
	}
}

static void fake_answer(const char *path, const char *id)
{
	const char *v;

	fake_misbehave(path);
	if ((v = fake_is(path, "/daemon")))
		fake_daemon(v);
	if ((v = fake_is(path, "/end"))) {
		char *name = pw_strndup(v, strcspn(v, ":"));

		v = strchr(v, ':');
		fake_done(id, name, 1000000, v ? atoi(v + 1) : 0);
		free(name);
	} else if ((v = fake_is(path, "/seq"))) {
		fake_done(id, "ok", fake_nth(v, fake_n_requests), 0);
	} else if ((v = fake_is(path, "/flip"))) {
		bool late = fake_n_requests >= (unsigned)atoi(v);

		fake_done(id, late ? "exit" : "ok", 1000000, late);
	} else if (fake_is(path, "/wrongid")) {
		fake_done("999999", "ok", 1, 0);
	} else if (fake_is(path, "/count")) {
		fake_done(id, "ok", fake_n_requests, 0);
	} else {
		v = fake_is(path, "/ok");
		fake_done(id, "ok", v ? strtoull(v, NULL, 10) : 0, 0);
	}
	if (fake_is(path, "/twice"))
		fake_done(id, "ok", 7, 0);
	if (fake_is(path, "/idle-die"))
		_exit(4);
	if (fake_is(path, "/deaf"))
		fake_stay();
}

/* START: ready, mute, chatter, fail, exit. */
static int fake_host_main(const char *start)
{
	if (!strcmp(start, "mute"))
		fake_stay();
	if (!strcmp(start, "exit")) {
		fprintf(stderr, "some context\ncannot load the thing\n");
		return 1;
	}
	if (!strcmp(start, "fail")) {
		printf("failed\tmessage=no%%20such%%20library\n");
		return 1;
	}
	printf("%s\n", !strcmp(start, "chatter") ? "hello there"
						 : "ready\tversion=1.2%20b");
	fflush(stdout);
	while (fgets(fake_request, sizeof(fake_request), stdin)) {
		char *path = fake_field("\tmodule="), *id = fake_field("\tid=");

		fake_n_requests++;
		fake_answer(path, id);
		free(path);
		free(id);
	}
	return 0;
}

/* A runtime whose host is this program. */
struct fake_runtime {
	struct pw_runtime rt;
	char *argv[4];
};

static void fake_runtime_init(struct fake_runtime *f, const char *start)
{
	memset(f, 0, sizeof(*f));
	f->argv[0] = realpath("/proc/self/exe", NULL);
	f->argv[1] = pw_strdup("host");
	f->argv[2] = pw_strdup(start);
	f->rt.spec = pw_strdup("fake@1");
	f->rt.host_argv = f->argv;
}

static void fake_runtime_release(struct fake_runtime *f)
{
	for (int i = 0; i < 3; i++)
		free(f->argv[i]);
	free(f->rt.spec);
}

#endif
