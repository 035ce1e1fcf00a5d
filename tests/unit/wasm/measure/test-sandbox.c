// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walls, tried from inside: this program is also the host, and each
 * request has it try one thing. Skipped where bubblewrap does not work.
 * Paths: /VERB:ARGUMENT; the answer is ok when the thing could be done.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfwasm/measure.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* --- inside ----------------------------------------------------------------- */

static bool try_read(const char *path)
{
	char c;
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	return fd >= 0 && (read(fd, &c, 1) >= 0 || errno == EISDIR);
}

static bool try_write(const char *path)
{
	/* a file that is there is only opened, for it may be the machine's */
	return open(path, O_WRONLY | O_CREAT, 0600) >= 0;
}

static bool try_tcp(const char *port)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(atoi(port)) };

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return !connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&to,
			sizeof(to));
}

/* Datagrams need nobody who listens: only a way there. */
static bool try_route(const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(53) };

	inet_pton(AF_INET, address, &to.sin_addr);
	return !connect(socket(AF_INET, SOCK_DGRAM, 0), (struct sockaddr *)&to,
			sizeof(to));
}

static bool try_abstract(const char *name)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	strcpy(to.sun_path + 1, name);
	return !connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to,
			sizeof(to));
}

static bool try_see_process(const char *comm)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	bool seen = false;

	while (d && (e = readdir(d))) {
		char path[300], text[64] = "";
		int fd;

		snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		fd = open(path, O_RDONLY);
		if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
			seen |= !strncmp(text, comm, strlen(comm));
		close(fd);
	}
	if (d)
		closedir(d);
	return seen;
}

static bool try_env(const char *name)
{
	return getenv(name);
}

static bool try_only_env(const char *names)
{
	extern char **environ;

	for (char **e = environ; *e; e++) {
		char *name = pw_asprintf(",%.*s,", (int)strcspn(*e, "="), *e);

		if (!strstr(names, name))
			return false;
		free(name);
	}
	return true;
}

static bool try_status(const char *text)
{
	char all[8192] = "", *line;
	int fd = open("/proc/self/status", O_RDONLY);
	char *want = pw_strdup(text);

	*strchr(want, '=') = '\t';
	return fd >= 0 && read(fd, all, sizeof(all) - 1) > 0 &&
	       (line = strstr(all, want)) && line[strlen(want)] == '\n';
}

static bool try_unshare(const char *unused)
{
	(void)unused;
	return !unshare(CLONE_NEWUSER);
}

static bool try_empty_cwd(const char *want)
{
	char cwd[256];
	DIR *d = opendir(".");
	size_t n = 0;

	while (d && readdir(d))
		n++;
	return n == 2 && getcwd(cwd, sizeof(cwd)) && !strcmp(cwd, want);
}

static bool try_core(const char *unused)
{
	struct rlimit r;

	(void)unused;
	return getrlimit(RLIMIT_CORE, &r) || r.rlim_max;
}

static bool try_name(const char *name)
{
	char own[256];

	return !gethostname(own, sizeof(own)) && !strcmp(own, name);
}

static const struct verb {
	const char *name;
	bool (*try)(const char *argument);
} verbs[] = {
	{ "read", try_read },
	{ "write", try_write },
	{ "tcp", try_tcp },
	{ "route", try_route },
	{ "abstract", try_abstract },
	{ "process", try_see_process },
	{ "env", try_env },
	{ "only-env", try_only_env },
	{ "status", try_status },
	{ "unshare", try_unshare },
	{ "empty-cwd", try_empty_cwd },
	{ "core", try_core },
	{ "name", try_name },
};

static bool try(const char *path)
{
	size_t n = strcspn(path + 1, ":");

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		if (strlen(verbs[i].name) == n &&
		    !strncmp(verbs[i].name, path + 1, n))
			return verbs[i].try(path + n + 2);
	abort();
}

static int host_main(void)
{
	static char line[65536], path[65536];
	unsigned long long id;

	printf("ready\tversion=1\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		const char *p = strstr(line, "\tmodule=") + 8;

		snprintf(path, sizeof(path), "%.*s", (int)strcspn(p, "\t\n"),
			 p);
		id = strtoull(strstr(line, "\tid=") + 4, NULL, 10);
		printf("done\tid=%llu\toutcome=%s\n", id,
		       try(path) ? "ok" : "trap");
		fflush(stdout);
	}
	return 0;
}

/* --- outside ---------------------------------------------------------------- */

struct fixture {
	struct pw_runtime rt;
	char *argv[3];
	char top[40]; /* holds the box, a folder to show, a secret */
	char *box, *shown, *secret, *inside;
	const char *dirs[2];
	struct pw_session *s;
};

static int setup(void **state)
{
	struct fixture *f = pw_zalloc(sizeof(*f));

	strcpy(f->top, "/tmp/pw-test-sandbox.XXXXXX");
	if (!mkdtemp(f->top))
		return -1;
	f->box = pw_asprintf("%s/box", f->top);
	f->shown = pw_asprintf("%s/shown", f->top);
	f->secret = pw_asprintf("%s/secret", f->top);
	f->inside = pw_asprintf("%s/shown/file", f->top);
	f->argv[0] = realpath("/proc/self/exe", NULL);
	f->argv[1] = pw_strdup("host");
	f->rt.spec = pw_strdup("spy@1");
	f->rt.host_argv = f->argv;
	f->dirs[0] = f->shown;
	*state = f;
	return pw_mkdirs(f->box, NULL) || pw_mkdirs(f->shown, NULL) ||
	       pw_file_write(f->secret, "s", 1, NULL) ||
	       pw_file_write(f->inside, "s", 1, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	int ret;

	pw_session_close(f->s);
	ret = pw_remove_tree(f->top, NULL);
	free(f->argv[0]);
	free(f->argv[1]);
	free(f->rt.spec);
	free(f->box);
	free(f->shown);
	free(f->secret);
	free(f->inside);
	free(f);
	return ret;
}

static void enter(struct fixture *f, bool dirs_writable)
{
	struct pw_session_opts o = { .box_dir = f->box,
				     .dirs = dirs_writable ? NULL : f->dirs,
				     .writable_dirs =
					     dirs_writable ? f->dirs : NULL,
				     .need_sandbox = true };
	struct pw_err err = { 0 };

	if (pw_sandbox_probe(&err)) {
		print_message("%s\n", err.msg);
		skip();
	}
	f->s = pw_session_open(&f->rt, &o, &err);
	if (!f->s)
		fail_msg("%s", err.msg);
}

static bool can(struct fixture *f, const char *fmt, ...)
{
	struct pw_host_request req = { .wall_limit_ns = 60000000000ULL };
	struct pw_host_reply reply;
	struct pw_err err = { 0 };
	char path[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	req.module_path = path;
	if (pw_session_run(f->s, &req, &reply, &err))
		fail_msg("%s", err.msg);
	if (reply.outcome != PW_OUT_OK && reply.outcome != PW_OUT_TRAP)
		fail_msg("%s: %s", path, reply.message);
	return reply.outcome == PW_OUT_OK;
}

static void only_what_is_needed_can_be_read(void **state)
{
	static const char *const hidden[] = {
		"/root", "/home", "/etc/passwd", "/etc/shadow", "/var/log",
		"/sys",  "/run",  "/boot",       NULL
	};
	struct fixture *f = *state;

	enter(f, false);
	assert_true(can(f, "/read:/usr/bin/env"));
	assert_true(can(f, "/read:/proc/self/maps"));
	assert_true(can(f, "/read:/dev/urandom"));
	assert_true(can(f, "/read:%s", f->argv[0]));
	assert_true(can(f, "/read:%s", f->inside));
	assert_false(can(f, "/read:%s", f->secret));
	for (size_t i = 0; hidden[i]; i++)
		if (can(f, "/read:%s", hidden[i]))
			fail_msg("%s can be read", hidden[i]);
}

static void only_the_box_and_memory_can_be_written(void **state)
{
	static const char *const closed[] = {
		"/x",      "/empty/x",
		"/usr/x",  "/usr/bin/env",
		"/etc/x",  "/dev/x",
		"/proc/x", "/proc/sys/kernel/core_pattern",
		"/lib/x",  "/proc/sys/vm/drop_caches",
		"/bin/x",  "/proc/sysrq-trigger",
		"/run/x",  "/sys/x",
		NULL
	};
	struct fixture *f = *state;
	char *inner = pw_asprintf("%s/made", f->box);
	struct stat st;

	enter(f, false);
	for (size_t i = 0; closed[i]; i++)
		if (can(f, "/write:%s", closed[i]))
			fail_msg("%s can be written", closed[i]);
	assert_false(can(f, "/write:%s", f->argv[0]));
	assert_false(can(f, "/write:%s", f->inside));
	assert_false(can(f, "/write:%s/new", f->shown));
	assert_true(can(f, "/write:%s", inner));
	assert_int_equal(stat(inner, &st), 0);
	assert_true(can(f, "/write:/dev/shm/x"));
	free(inner);
}

static void what_is_written_beside_the_box_stays_inside(void **state)
{
	struct fixture *f = *state;
	char *beside = pw_asprintf("%s/beside", f->top);
	struct stat st;

	/* the box lies in /tmp, which inside is another one */
	enter(f, false);
	assert_true(can(f, "/write:/tmp/pw-test-sandbox-leak"));
	can(f, "/write:%s", beside);
	assert_int_equal(stat("/tmp/pw-test-sandbox-leak", &st), -1);
	assert_int_equal(stat(beside, &st), -1);
	free(beside);
}

static void shown_folders_are_writable_when_asked(void **state)
{
	struct fixture *f = *state;

	enter(f, true);
	assert_true(can(f, "/write:%s", f->inside));
}

static void the_network_is_out_of_reach(void **state)
{
	struct fixture *f = *state;
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	socklen_t size = sizeof(in);
	int tcp = socket(AF_INET, SOCK_STREAM, 0);
	int abstract = socket(AF_UNIX, SOCK_STREAM, 0);
	char name[40], port[16];

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	snprintf(name, sizeof(name), "pw-test-%d", (int)getpid());
	strcpy(un.sun_path + 1, name);
	assert_int_equal(bind(tcp, (struct sockaddr *)&in, size), 0);
	assert_int_equal(bind(abstract, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_int_equal(listen(tcp, 5) | listen(abstract, 5), 0);
	getsockname(tcp, (struct sockaddr *)&in, &size);
	snprintf(port, sizeof(port), "%d", ntohs(in.sin_port));
	assert_true(try_tcp(port)); /* the way is open from here */
	assert_true(try_abstract(name));
	enter(f, false);
	assert_false(can(f, "/tcp:%s", port));
	assert_false(can(f, "/abstract:%s", name));
	assert_false(can(f, "/route:192.0.2.1"));
	assert_false(can(f, "/route:8.8.8.8"));
	close(tcp);
	close(abstract);
}

static void other_processes_are_out_of_sight(void **state)
{
	struct fixture *f = *state;
	char comm[32] = "";
	int fd = open("/proc/1/comm", O_RDONLY);

	enter(f, false);
	/* of this program it sees its own copy, named test-sandbox too */
	assert_true(can(f, "/process:test-sandbox"));
	if (fd >= 0 && read(fd, comm, sizeof(comm) - 1) > 0 &&
	    strncmp(comm, "bwrap", 5)) {
		comm[strcspn(comm, "\n")] = 0;
		assert_true(try_see_process(comm));
		assert_false(can(f, "/process:%s", comm));
	}
	close(fd);
}

static void the_environment_is_clean(void **state)
{
	struct fixture *f = *state;

	setenv("RUST_BACKTRACE", "1", 1);
	setenv("LD_LIBRARY_PATH", "/tmp", 1);
	setenv("A_SECRET", "1", 1);
	enter(f, false);
	unsetenv("LD_LIBRARY_PATH");
	assert_true(can(f, "/only-env:,PATH,LANG,HOME,TMPDIR,PWD,"));
	assert_false(can(f, "/env:RUST_BACKTRACE"));
	assert_true(can(f, "/empty-cwd:/empty"));
	assert_true(can(f, "/name:box"));
}

static void there_are_no_powers(void **state)
{
	struct fixture *f = *state;

	enter(f, false);
	assert_true(can(f, "/status:CapEff:=0000000000000000"));
	assert_true(can(f, "/status:CapPrm:=0000000000000000"));
	assert_true(can(f, "/status:CapBnd:=0000000000000000"));
	assert_true(can(f, "/status:NoNewPrivs:=1"));
	assert_false(can(f, "/core:"));
	assert_false(can(f, "/read:/dev/tty"));
}

static void no_namespace_can_be_made_inside(void **state)
{
	struct fixture *f = *state;
	const char *const argv[] = { "bwrap", "--help", NULL };
	struct pw_buf out = { 0 };
	bool can_forbid;

	enter(f, false);
	pw_child_run(argv, 60000000000ULL, &out, &out, 65536, NULL, NULL);
	can_forbid = strstr(pw_buf_str(&out), "--disable-userns ");
	pw_buf_release(&out);
	if (!can_forbid) {
		print_message("this bubblewrap cannot forbid it\n");
		skip();
	}
	assert_false(can(f, "/unshare:"));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		T(only_what_is_needed_can_be_read),
		T(only_the_box_and_memory_can_be_written),
		T(what_is_written_beside_the_box_stays_inside),
		T(shown_folders_are_writable_when_asked),
		T(the_network_is_out_of_reach),
		T(other_processes_are_out_of_sight),
		T(the_environment_is_clean),
		T(there_are_no_powers),
		T(no_namespace_can_be_made_inside),
	};

	if (argc == 2 && !strcmp(argv[1], "host"))
		return host_main();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
