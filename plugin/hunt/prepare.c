// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, prepare: the module is read, the runtimes are found, the
 * directory is ours and holds this hunt or none.
 */
#include "steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_spec(const struct runner *r, uint64_t h)
{
	return pw_hash(r->rt.spec, strlen(r->rt.spec) + 1, h);
}

/* Everything that may change what a hunt finds, in one number. */
static uint64_t identity(const struct hunt *h)
{
	const struct pw_hunt_opts *o = h->o;
	double numbers[] = { o->min_gap, o->weight_perf, o->weight_same,
			     o->budget,  o->run_ms,      (double)o->seed };
	uint64_t id = pw_hash(h->file.data, h->file.size, 1);

	id = hash_spec(&h->suspect, id);
	for (size_t i = 0; i < h->n_oracles; i++)
		id = hash_spec(&h->oracles[i], id);
	id = pw_guest_hash(&o->guest, id);
	return pw_hash(numbers, sizeof(numbers), id);
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

static int open_dir(struct hunt *h, struct pw_err *err)
{
	char *box;
	int ret;

	h->identity = identity(h);
	h->journal = pw_journal_claim(h->o->dir, "hunt", h->identity, err);
	if (!h->journal)
		return -err->code;
	ret = deal_claim(h, err);
	if (ret)
		return ret;
	/* only with the journal's lock is what lies in the box ours */
	box = pw_asprintf("%s/box", h->o->dir);
	ret = pw_guest_box_open(&h->box, &h->o->guest, box, err);
	free(box);
	return ret;
}

/* The offset of the code section's first byte; 0 when there is none. */
static uint64_t code_off(const struct pw_module *m)
{
	const struct pw_section *s = pw_module_code_section(m);

	return s ? s->data_off : 0;
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
		h->module_path = pw_asprintf("%s/module.wasm", h->box.dir);
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
		ret = open_dir(h, err);
	if (!ret)
		ret = hunt_take_module(h, h->file.data, h->file.size, err);
	return ret;
}
