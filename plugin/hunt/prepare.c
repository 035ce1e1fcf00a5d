// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, prepare: the module is read, the runtimes are found, the
 * directory is ours and holds this hunt or none.
 */
#include "steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_list(const char *const *list, uint64_t h)
{
	for (; list && *list; list++)
		h = pw_hash(*list, strlen(*list), h);
	return pw_hash("", 0, h);
}

static uint64_t hash_str(const char *s, uint64_t h)
{
	return pw_hash(s ? s : "", s ? strlen(s) : 0, h);
}

/* Everything that may change what a hunt finds, in one number. */
static uint64_t identity(const struct hunt *h)
{
	const struct pw_hunt_opts *o = h->o;
	double numbers[] = { o->min_gap,
			     o->weight_perf,
			     o->weight_same,
			     o->budget,
			     o->run_ms,
			     (double)o->seed,
			     (double)o->memory_limit_bytes };
	uint64_t id = pw_hash(h->file.data, h->file.size, 1);

	id = hash_str(h->suspect.rt.spec, id);
	for (size_t i = 0; i < h->n_oracles; i++)
		id = hash_str(h->oracles[i].rt.spec, id);
	id = hash_str(o->invoke, id);
	id = hash_list(o->argv, id);
	id = hash_list(o->env, id);
	id = hash_list(o->dirs, id);
	id = hash_str(o->stdin_path, id);
	return pw_hash(numbers, sizeof(numbers), id);
}

static int check_identity(struct hunt *h, struct pw_err *err)
{
	const char *seen = pw_journal_find(h->journal, "hunt", "identity");
	char id[20];

	snprintf(id, sizeof(id), "%016llx", (unsigned long long)identity(h));
	if (!seen)
		return pw_journal_add(h->journal, "hunt", "identity", err, "%s",
				      id);
	if (!strcmp(seen, id))
		return 0;
	return pw_err_set(err, EEXIST,
			  "%s holds another hunt (module, runtimes or options "
			  "differ): name another directory with --dir, or "
			  "remove this one",
			  h->o->dir);
}

static size_t list_length(const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

static int find_runtimes(struct hunt *h, struct pw_err *err)
{
	size_t n = list_length(h->o->oracles);
	int ret = pw_runtime_find(&h->suspect.rt, h->o->suspect, err);

	h->oracles = pw_zalloc((n + 1) * sizeof(*h->oracles));
	for (size_t i = 0; i < n && !ret; i++) {
		ret = pw_runtime_find(&h->oracles[i].rt, h->o->oracles[i], err);
		h->n_oracles = i + 1;
	}
	return ret;
}

static int make_dirs(struct hunt *h, struct pw_err *err)
{
	char *abs, *path;
	int ret = pw_mkdirs(h->o->dir, err);

	if (ret)
		return ret;
	abs = realpath(h->o->dir, NULL);
	if (!abs)
		return pw_err_set(err, errno, "cannot resolve %s: %s",
				  h->o->dir, strerror(errno));
	path = pw_asprintf("%s/journal", abs);
	h->journal = pw_journal_open(path, err);
	free(path);
	/* Only with the journal's lock is what lies in the box ours. */
	if (h->journal)
		h->box = pw_asprintf("%s/box", abs);
	free(abs);
	if (!h->journal)
		return -err->code;
	pw_remove_tree(h->box, NULL);
	return pw_mkdirs(h->box, err);
}

/* The sandbox sees the box only, so the guest's input goes there. */
static int copy_stdin(struct hunt *h, struct pw_err *err)
{
	struct pw_file f = { 0 };
	int ret;

	if (!h->o->stdin_path)
		return 0;
	ret = pw_file_open(&f, h->o->stdin_path, err);
	if (ret)
		return ret;
	h->stdin_path = pw_asprintf("%s/stdin", h->box);
	ret = pw_file_write(h->stdin_path, f.data, f.size, err);
	pw_file_close(&f);
	return ret;
}

/* "DIR[::GUEST]" to the absolute directory and what the guest calls it. */
static int take_dirs(struct hunt *h, struct pw_err *err)
{
	size_t n = list_length(h->o->dirs);

	h->seen = pw_zalloc((n + 1) * sizeof(*h->seen));
	h->mounts = pw_zalloc((n + 1) * sizeof(*h->mounts));
	for (size_t i = 0; i < n; i++) {
		const char *guest = strstr(h->o->dirs[i], "::");
		char *dir = guest ? pw_strndup(h->o->dirs[i],
					       (size_t)(guest - h->o->dirs[i]))
				  : pw_strdup(h->o->dirs[i]);

		h->seen[i] = realpath(dir, NULL);
		if (!h->seen[i]) {
			pw_err_set(err, errno, "cannot mount %s: %s", dir,
				   strerror(errno));
			free(dir);
			return -err->code;
		}
		h->mounts[i] = pw_asprintf("%s::%s", h->seen[i],
					   guest ? guest + 2 : dir);
		free(dir);
	}
	return 0;
}

/* The offset of the code section's first byte; 0 when there is none. */
static uint64_t code_off(const struct pw_module *m)
{
	for (uint32_t i = 0; i < pw_module_n_sections(m); i++)
		if (pw_module_section(m, i)->id == 10)
			return pw_module_section(m, i)->data_off;
	return 0;
}

int hunt_take_module(struct hunt *h, const uint8_t *bytes, size_t size,
		     struct pw_err *err)
{
	struct pw_module *plain = pw_module_decode(bytes, size, err);
	int ret = plain ? 0 : -err->code;

	pw_module_free(h->module);
	h->module = NULL;
	pw_buf_release(&h->bytes);
	if (!ret)
		ret = pw_splice_exports(plain, &h->bytes, err);
	pw_module_free(plain);
	if (ret)
		return ret;
	h->module = pw_module_decode(h->bytes.data, h->bytes.len, err);
	if (!h->module)
		return -err->code;
	h->shift = code_off(h->module) - code_off(h->given);
	if (!h->module_path)
		h->module_path = pw_asprintf("%s/module.wasm", h->box);
	return pw_file_write(h->module_path, h->bytes.data, h->bytes.len, err);
}

int hunt_prepare(struct hunt *h, struct pw_err *err)
{
	int ret = pw_file_open(&h->file, h->o->module_path, err);

	if (ret)
		return ret;
	h->given = pw_module_decode(h->file.data, h->file.size, err);
	if (!h->given) {
		pw_err_prefix(err, "%s", h->o->module_path);
		return -err->code;
	}
	ret = find_runtimes(h, err);
	if (!ret)
		ret = make_dirs(h, err);
	if (!ret)
		ret = check_identity(h, err);
	if (!ret)
		ret = take_dirs(h, err);
	if (!ret)
		ret = copy_stdin(h, err);
	if (!ret)
		ret = hunt_take_module(h, h->file.data, h->file.size, err);
	return ret;
}
