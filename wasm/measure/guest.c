// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a guest is called: what a user said, turned into a box that a sandbox
 * can see, and into requests.
 */
#include <perfwasm/measure.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EMPTY_IMPORTS      "bench.start,bench.end"
#define OUTPUT_LIMIT_BYTES (UINT64_C(64) << 20)

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* The sandbox sees the box only, so the guest's input goes there. */
static int copy_stdin(struct pw_guest_box *box, struct pw_err *err)
{
	struct pw_file f = { 0 };
	int ret;

	if (!box->guest->stdin_path)
		return 0;
	ret = pw_file_open(&f, box->guest->stdin_path, err);
	if (ret)
		return ret;
	box->stdin_path = pw_asprintf("%s/stdin", box->dir);
	ret = pw_file_write(box->stdin_path, f.data, f.size, err);
	pw_file_close(&f);
	return ret;
}

static int take_dir(const char *said, char **seen, char **mount,
		    struct pw_err *err)
{
	const char *guest = strstr(said, "::");
	char *dir = guest ? pw_strndup(said, (size_t)(guest - said))
			  : pw_strdup(said);
	int ret = 0;

	*seen = realpath(dir, NULL);
	if (*seen)
		*mount = pw_asprintf("%s::%s", *seen, guest ? guest + 2 : dir);
	else
		ret = pw_err_set(err, errno, "cannot mount %s: %s", dir,
				 strerror(errno));
	free(dir);
	return ret;
}

int pw_guest_box_open(struct pw_guest_box *box, const struct pw_guest *guest,
		      const char *dir, struct pw_err *err)
{
	size_t n = list_length(guest->dirs);
	int ret;

	memset(box, 0, sizeof(*box));
	box->guest = guest;
	ret = pw_remove_tree(dir, err);
	if (!ret)
		ret = pw_mkdirs(dir, err);
	if (ret)
		return ret;
	box->dir = realpath(dir, NULL);
	if (!box->dir)
		return pw_err_set(err, errno, "cannot resolve %s: %s", dir,
				  strerror(errno));
	box->seen = pw_zalloc((n + 1) * sizeof(*box->seen));
	box->mounts = pw_zalloc((n + 1) * sizeof(*box->mounts));
	for (size_t i = 0; i < n && !ret; i++)
		ret = take_dir(guest->dirs[i], &box->seen[i], &box->mounts[i],
			       err);
	return ret ? ret : copy_stdin(box, err);
}

static void free_list(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		free(list[i]);
	free(list);
}

void pw_guest_box_release(struct pw_guest_box *box)
{
	if (box->dir)
		pw_remove_tree(box->dir, NULL);
	free(box->dir);
	free(box->stdin_path);
	free_list(box->seen);
	free_list(box->mounts);
	memset(box, 0, sizeof(*box));
}

struct pw_session *pw_guest_session(const struct pw_guest_box *box,
				    const struct pw_runtime *rt,
				    struct pw_err *err)
{
	struct pw_session_opts opts = {
		.box_dir = box->dir,
		.dirs = (const char *const *)box->seen,
		.dirs_writable = box->guest->dirs_writable,
	};
	struct pw_session *s = pw_session_open(rt, &opts, err);

	if (!s)
		pw_err_prefix(err, "%s", rt->spec);
	return s;
}

void pw_guest_request(const struct pw_guest_box *box, const char *module_path,
		      struct pw_host_request *req)
{
	const struct pw_guest *g = box->guest;

	*req = (struct pw_host_request){
		.module_path = module_path,
		.invoke = g->invoke,
		.argv = g->argv,
		.env = g->env,
		.dirs = (const char *const *)box->mounts,
		.stdin_path = box->stdin_path,
		.empty_imports = EMPTY_IMPORTS,
		.digest = true,
		.wall_limit_ns = g->wall_limit_ns,
		.memory_limit_bytes = g->memory_limit_bytes,
		.output_limit_bytes = OUTPUT_LIMIT_BYTES,
	};
}
