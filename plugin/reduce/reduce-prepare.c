// SPDX-License-Identifier: GPL-2.0-only
/*
 * Before the passes: the module is read, the runtimes are found, the
 * directory is ours and holds this reduction or none.
 */
#include "passes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_spec(const struct side_runner *s, uint64_t h)
{
	return pw_hash(s->rt.spec, strlen(s->rt.spec) + 1, h);
}

/* Everything that may change what is kept, in one number. */
static uint64_t identity(const struct reduce *r)
{
	const struct pw_reduce_opts *o = r->o;
	double numbers[] = { o->min_gap, o->keep, o->run_ms };
	uint64_t id = pw_hash(r->file.data, r->file.size, 2);

	id = hash_spec(&r->suspect, id);
	id = hash_spec(&r->oracle, id);
	id = pw_guest_hash(&o->guest, id);
	return pw_hash(numbers, sizeof(numbers), id);
}

static int open_dir(struct reduce *r, struct pw_err *err)
{
	char *box;
	int ret;

	r->journal = pw_journal_claim(r->o->dir, "reduce", identity(r), err);
	if (!r->journal)
		return -err->code;
	box = pw_asprintf("%s/box", r->o->dir);
	ret = pw_guest_box_open(&r->box, &r->o->guest, box, err);
	free(box);
	if (!ret)
		r->path = pw_asprintf("%s/module.wasm", r->box.dir);
	return ret;
}

static int open_side(struct reduce *r, struct side_runner *s,
		     struct pw_err *err)
{
	s->session = pw_guest_session(&r->box, &s->rt, err);
	return s->session ? 0 : -err->code;
}

static int read_module(struct reduce *r, struct pw_err *err)
{
	struct pw_buf bytes = { 0 };
	int ret = pw_file_open(&r->file, r->o->module_path, err);
	struct pw_module *m;

	if (ret)
		return ret;
	/* before it is copied: it may be anything, of any size */
	m = pw_module_decode(r->file.data, r->file.size, err);
	pw_module_free(m);
	if (!m) {
		pw_err_prefix(err, "%s", r->o->module_path);
		return -EINVAL;
	}
	pw_buf_add(&bytes, r->file.data, r->file.size);
	ret = reduce_take(r, &bytes, err);
	if (!ret)
		ret = pw_module_check_bodies(r->m, err);
	pw_buf_release(&bytes);
	if (ret) {
		pw_err_prefix(err, "%s", r->o->module_path);
		return ret;
	}
	r->first_size = (uint32_t)r->bytes.len;
	r->first_insns = reduce_count_insns(r->m, &r->first_funcs);
	return 0;
}

int reduce_prepare(struct reduce *r, struct pw_err *err)
{
	int ret = read_module(r, err);

	if (!ret)
		ret = pw_runtime_find(&r->suspect.rt, r->o->suspect, err);
	if (!ret)
		ret = pw_runtime_find(&r->oracle.rt, r->o->oracle, err);
	if (!ret)
		ret = open_dir(r, err);
	if (!ret)
		ret = open_side(r, &r->suspect, err);
	return ret ? ret : open_side(r, &r->oracle, err);
}
