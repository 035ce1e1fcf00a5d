// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command line that compiles a module into a file or directory of its own.
 * Knows nothing of how that is run.
 */
#include "command-compile.h"

#include "command-line.h"
#include <perfwasm/host.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_NOT_RUN 127

/* A name that nothing has yet; of several compilers one looks at the end. */
static char *new_artifact(struct pw_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *dir =
		pw_asprintf("%s/perf-wasm-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	char *path = NULL;

	if (mkdtemp(dir))
		path = pw_asprintf("%s/code.so", dir);
	else
		pw_err_set(err, errno, "cannot make %s: %s", dir,
			   strerror(errno));
	free(dir);
	return path;
}

void command_forget(char *artifact)
{
	if (!artifact)
		return;
	*strrchr(artifact, '/') = 0;
	pw_remove_tree(artifact, NULL);
	free(artifact);
}

static pid_t start(char **argv, int out)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
	dup2(out, 1);
	dup2(out, 2);
	execvp(argv[0], argv);
	_exit(STATUS_NOT_RUN);
}

static int judge(int status, int out, const char *program, struct pw_err *err)
{
	char words[300];

	if (!status)
		return 0;
	pw_host_last_words(out, words, sizeof(words));
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_NOT_RUN)
		return pw_err_set(err, ENOENT,
				  "%s cannot be run: give its path", program);
	return pw_err_set(err, EBADMSG, "%s",
			  words[0] ? words : "the compiler refused the module");
}

int command_compile(char *const *words, const char *const *options,
		    const char *module_path, char **artifact, uint64_t *cpu_ns,
		    struct pw_err *err)
{
	struct pw_host_request req = { .module_path = module_path };
	int out = memfd_create("output", MFD_CLOEXEC), status = 0, rc = 0;
	char **argv = NULL;
	struct rusage u = { 0 };
	pid_t pid;

	*artifact = new_artifact(err);
	if (!*artifact)
		rc = -err->code;
	if (!rc)
		rc = words_fill(words, options, &req, *artifact, &argv, err);
	if (!rc) {
		pid = start(argv, out);
		while (pid > 0 && wait4(pid, &status, 0, &u) < 0 &&
		       errno == EINTR)
			;
		rc = pid < 0 ? pw_err_set(err, errno, "cannot fork: %s",
					  strerror(errno))
			     : judge(status, out, argv[0], err);
	}
	*cpu_ns =
		(uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
		(uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
	if (rc) {
		command_forget(*artifact);
		*artifact = NULL;
	}
	pw_strings_free(argv);
	close(out);
	return rc;
}
