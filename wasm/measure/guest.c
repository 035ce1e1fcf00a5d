// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a guest is called: what a user said, turned into a box that a sandbox
 * can see, and into requests.
 */
#include <perfwasm/measure.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_LIMIT_BYTES (UINT64_C(64) << 20)

/* --- what is said of one ----------------------------------------------------- */

void pw_guest_init(struct pw_guest *g)
{
	*g = (struct pw_guest){
		.wall_limit_ns = UINT64_C(120000000000),
		.memory_limit_bytes = UINT64_C(4) << 30,
	};
}

/* No text and an empty one differ. */
static uint64_t hash_text(const char *s, uint64_t h)
{
	return pw_hash(s ? s : "", s ? strlen(s) + 1 : 0, h);
}

static uint64_t hash_list(const char *const *list, uint64_t h)
{
	uint64_t n = 0;

	for (; list && list[n]; n++)
		h = hash_text(list[n], h);
	return pw_hash(&n, sizeof(n), h);
}

uint64_t pw_guest_hash(const struct pw_guest *g, uint64_t h)
{
	uint64_t numbers[] = { g->dirs_writable, g->memory_limit_bytes };

	h = hash_text(g->invoke, h);
	h = hash_list(g->argv, h);
	h = hash_list(g->env, h);
	h = hash_list(g->read_only_dirs, h);
	h = hash_list(g->dirs, h);
	h = hash_text(g->stdin_path, h);
	return pw_hash(numbers, sizeof(numbers), h);
}

/* --- its box ------------------------------------------------------------------- */

void pw_guest_box_see(struct pw_guest_box *box, const char *dir,
		      bool is_writable)
{
	pw_strings_add(is_writable ? &box->writable : &box->seen,
		       pw_strdup(dir));
}

char *pw_guest_box_bring(const struct pw_guest_box *box, const char *path,
			 const char *name, struct pw_err *err)
{
	char *goal = pw_asprintf("%s/%s", box->dir, name);
	struct pw_file f = { 0 };
	int ret = pw_file_open(&f, path, err);

	if (!ret)
		ret = pw_file_write(goal, f.data, f.size, err);
	pw_file_close(&f);
	if (!ret)
		return goal;
	free(goal);
	return NULL;
}

/* The sandbox sees the box only, so the guest's input goes there. */
static int copy_stdin(struct pw_guest_box *box, struct pw_err *err)
{
	if (!box->guest->stdin_path)
		return 0;
	box->stdin_path =
		pw_guest_box_bring(box, box->guest->stdin_path, "stdin", err);
	return box->stdin_path ? 0 : -err->code;
}

static int take_dir(struct pw_guest_box *box, const char *said,
		    bool is_writable, struct pw_err *err)
{
	const char *guest = strstr(said, "::");
	char *dir = guest ? pw_strndup(said, (size_t)(guest - said))
			  : pw_strdup(said);
	char *real = realpath(dir, NULL);
	int ret = 0;

	if (real) {
		pw_guest_box_see(box, real, is_writable);
		pw_strings_add(&box->mounts,
			       pw_asprintf("%s::%s", real,
					   guest ? guest + 2 : dir));
	} else {
		ret = pw_err_set(err, errno, "cannot mount %s: %s", dir,
				 strerror(errno));
	}
	free(real);
	free(dir);
	return ret;
}

static int take_dirs(struct pw_guest_box *box, const char *const *dirs,
		     bool are_writable, struct pw_err *err)
{
	int ret = 0;

	for (; dirs && *dirs && !ret; dirs++)
		ret = take_dir(box, *dirs, are_writable, err);
	return ret;
}

int pw_guest_box_open(struct pw_guest_box *box, const struct pw_guest *guest,
		      const char *dir, struct pw_err *err)
{
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
	ret = take_dirs(box, guest->read_only_dirs, false, err);
	if (!ret)
		ret = take_dirs(box, guest->dirs, guest->dirs_writable, err);
	return ret ? ret : copy_stdin(box, err);
}

void pw_guest_box_release(struct pw_guest_box *box)
{
	if (box->dir)
		pw_remove_tree(box->dir, NULL);
	free(box->dir);
	free(box->stdin_path);
	pw_strings_free(box->seen);
	pw_strings_free(box->writable);
	pw_strings_free(box->mounts);
	memset(box, 0, sizeof(*box));
}

/* --- its calls ------------------------------------------------------------------- */

struct pw_session *pw_guest_session(const struct pw_guest_box *box,
				    const struct pw_runtime *rt,
				    struct pw_err *err)
{
	struct pw_session_opts opts = {
		.box_dir = box->dir,
		.dirs = (const char *const *)box->seen,
		.writable_dirs = (const char *const *)box->writable,
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
		.empty_imports = PW_EMPTY_IMPORTS,
		.digest = true,
		.wall_limit_ns = g->wall_limit_ns,
		.memory_limit_bytes = g->memory_limit_bytes,
		.output_limit_bytes = OUTPUT_LIMIT_BYTES,
	};
}
