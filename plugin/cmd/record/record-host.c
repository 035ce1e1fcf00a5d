// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is asked of a host program that runs below perf record, and what it
 * answers: where the guest's output goes, and paths as the host finds them.
 * Knows the host protocol; starts nothing.
 */
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Where the guest's output goes. Nothing else is written to our standard
 * output while it runs, but a regular file may not be opened a second time
 * without harm to what is in it.
 */
char *record_guest_output(const struct record *r)
{
	struct stat st;

	if (!fstat(STDOUT_FILENO, &st) &&
	    (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))
		return pw_asprintf("/proc/%d/fd/1", (int)getpid());
	return pw_asprintf("%s/output", r->abs_dir);
}

void record_print_output(const char *path)
{
	struct pw_file f;

	if (!strncmp(path, "/proc/", 6))
		return;
	if (!pw_file_open(&f, path, NULL)) {
		fwrite(f.data, 1, f.size, stdout);
		fflush(stdout);
		pw_file_close(&f);
	}
	unlink(path);
}

/* The host enters the capture's folder, so what is told from here is not what
 * it would find there. */
static char *from_here(const char *path)
{
	char *here = *path == '/' ? NULL : getcwd(NULL, 0), *all;

	all = here ? pw_asprintf("%s/%s", here, path) : pw_strdup(path);
	free(here);
	return all;
}

/* "DIR::GUEST", and "DIR", which the guest sees by this name. */
static char *mount_from_here(const char *mount)
{
	char *all = from_here(mount), *named;

	if (strstr(mount, "::"))
		return all;
	named = pw_asprintf("%s::%s", all, mount);
	free(all);
	return named;
}

void record_print_request(const struct record *r, const char *output,
			  struct pw_buf *line)
{
	struct pw_host_request req = {
		.id = 1,
		.invoke = r->invoke,
		.argv = (const char *const *)r->command + 1,
		.env = r->env.v,
		.empty_imports = PW_EMPTY_IMPORTS,
		.stdout_path = output,
		.jitdump_dir = r->abs_dir,
	};
	char *module = from_here(r->command[0]);
	char *in = r->stdin_path ? from_here(r->stdin_path) : NULL;
	char *artifact = r->artifact
				 ? pw_asprintf("%s/%s", r->abs_dir, r->artifact)
				 : NULL;
	char **dirs = pw_zalloc((r->mounts.n + 1) * sizeof(*dirs));

	for (size_t i = 0; i < r->mounts.n; i++)
		dirs[i] = mount_from_here(r->mounts.v[i]);
	if (*req.argv && !strcmp(*req.argv, "--"))
		req.argv++;
	req.module_path = module;
	req.stdin_path = in;
	req.artifact_path = artifact;
	req.dirs = (const char *const *)dirs;
	pw_host_request_print(&req, line);
	for (size_t i = 0; i < r->mounts.n; i++)
		free(dirs[i]);
	free(dirs);
	free(artifact);
	free(in);
	free(module);
}

/* The host's answer is its last line. */
int record_hear(struct pw_buf *said, struct record_end *end, struct pw_err *err)
{
	char *text = pw_strdup(pw_buf_str(said));
	char *line = strstr(text, "\ndone\t");
	int ret = 0;

	if (line) {
		line++;
		line[strcspn(line, "\n")] = 0;
		ret = pw_host_reply_parse(&end->reply, line, err);
		end->has_reply = !ret;
	}
	free(text);
	return ret;
}
