// SPDX-License-Identifier: GPL-2.0-only
/*
 * The place step of a hunt: the same machine code elsewhere. Where a small
 * loop lies in a line of 64 bytes may double its time, and any change in
 * front of it moves it. So the module is run with code that never runs put in
 * front of its hot function; when that alone closes the gap, the placement is
 * the cause and no instruction is.
 */
#include "place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Paddings that are tried to find other placements. */
#define TRIES_MAX 14
/* And no more when they take so long to compile. */
#define TRIES_NS UINT64_C(4000000000)
/* A placement that closes such a share of the gap is the cause. */
#define CAUSE 0.5
/* More runs before a placement is believed to close so much. */
#define DOUBT        0.1
#define DOUBT_ROUNDS 4
#define LONG_RUN_MS  400

unsigned place_rounds(const struct hunt *h)
{
	return h->suspect.base_ms > LONG_RUN_MS ? 1 : 3;
}

double place_ideal_ms(const struct hunt *h)
{
	const struct runner *ref = hunt_reference(h);

	return pw_min(ref->base.cpu_ms, ref->base.n);
}

/* --- a module elsewhere -------------------------------------------------------- */

static int write_placed(struct hunt *h, const struct pw_module *m,
			uint32_t units, const char *path, uint32_t *moved_idx,
			struct pw_err *err)
{
	struct pw_buf bytes = { 0 };
	int ret;

	*moved_idx = h->place.func_idx;
	if (units) {
		ret = pw_splice_padding(m, h->place.pad_idx, h->place.func_idx,
					units, &bytes, moved_idx, err);
	} else {
		size_t size;
		const uint8_t *own = pw_module_bytes(m, &size);

		pw_buf_add(&bytes, own, size);
		ret = 0;
	}
	if (!ret)
		ret = pw_file_write(path, bytes.data, bytes.len, err);
	pw_buf_release(&bytes);
	return ret;
}

static int run_once(struct hunt *h, const char *path, double *ms,
		    struct pw_err *err)
{
	struct pw_host_request req;
	struct pw_host_reply reply;
	int ret;

	pw_guest_request(&h->box, path, &req);
	req.cpu_limit_ns = (uint64_t)(h->suspect.base_ms * 4e6) + 50000000;
	ret = hunt_run(h, &h->suspect, &req, &reply, err);
	*ms = !ret && reply.outcome == h->suspect.base.outcome
		      ? (double)reply.cpu_ns / 1e6
		      : NAN;
	return ret;
}

static int run_at(struct hunt *h, const struct pw_module *m, size_t at,
		  const char *key, unsigned round, double *ms,
		  struct pw_err *err)
{
	char *id = pw_asprintf("%zu %u %s", at, round, key);
	const char *seen = pw_journal_find(h->journal, "place", id);
	char *path = pw_asprintf("%s/placed.wasm", h->box.dir);
	uint32_t moved;
	int ret = 0;

	if (seen) {
		*ms = strtod(seen, NULL);
		h->spent_ns += *ms > 0 ? (uint64_t)(*ms * 1e6) : 0;
		goto out;
	}
	ret = write_placed(h, m, h->place.at[at].units, path, &moved, err);
	if (!ret)
		ret = run_once(h, path, ms, err);
	if (!ret)
		ret = pw_journal_add(h->journal, "place", id, err, "%.6f", *ms);
out:
	free(path);
	free(id);
	return ret;
}

int place_run(struct hunt *h, const struct pw_module *m, const char *key,
	      unsigned rounds, double least_ms[PLACES_MAX], struct pw_err *err)
{
	int ret = 0;

	for (unsigned r = 0; r < rounds && !ret; r++) {
		for (size_t i = 0; i < h->place.n && !ret; i++) {
			double ms;

			ret = run_at(h, m, i, key, r, &ms, err);
			if (!ret && !isnan(ms) && !(least_ms[i] <= ms))
				least_ms[i] = ms;
		}
	}
	return ret;
}

/* --- which placements there are ------------------------------------------------------ */

static bool is_new(const struct hunt *h, uint64_t start)
{
	for (size_t i = 0; i < h->place.n; i++)
		if (h->place.at[i].start % LINE_BYTES == start % LINE_BYTES)
			return false;
	return true;
}

/* Where this padding puts the hot function; PW_NO_OFF when its code is not
 * the same there. */
static int start_with(struct hunt *h, uint32_t units, uint64_t code_hash,
		      uint64_t *start, struct pw_err *err)
{
	char *path = pw_asprintf("%s/placed.wasm", h->box.dir);
	struct image im = { 0 };
	uint32_t moved;
	int ret = write_placed(h, h->module, units, path, &moved, err);
	const struct pw_code_func *f;

	*start = PW_NO_OFF;
	if (!ret)
		ret = hunt_compile(h, path, &im, err);
	if (!ret && im.code) {
		f = pw_code_func_find(im.code, moved);
		if (f && pw_code_func_hash(im.code, f) == code_hash)
			*start = f->text_off;
	}
	hunt_image_release(&im);
	free(path);
	return ret;
}

static int find_placements(struct hunt *h, uint64_t code_hash,
			   struct pw_err *err)
{
	uint64_t from = pw_now_ns(), start;
	int ret = 0;

	h->place.n = 1;
	for (uint32_t units = 1; units <= TRIES_MAX && !ret; units++) {
		if (h->place.n == PLACES_MAX || pw_now_ns() - from > TRIES_NS)
			break;
		ret = start_with(h, units, code_hash, &start, err);
		if (ret || start == PW_NO_OFF || !is_new(h, start))
			continue;
		h->place.at[h->place.n++] =
			(struct placement){ .units = units, .start = start };
	}
	return ret;
}

static int look_around(struct hunt *h, struct pw_err *err)
{
	struct image im;
	const struct pw_code_func *f;
	int ret = hunt_compile(h, h->module_path, &im, err);
	uint64_t hash = 0;
	bool hot = false;

	if (ret)
		return ret;
	if (im.code && place_hot_spot(h, im.code)) {
		f = pw_code_func_find(im.code, h->place.func_idx);
		hash = f ? pw_code_func_hash(im.code, f) : 0;
		hot = f;
	}
	hunt_image_release(&im);
	return hot ? find_placements(h, hash, err) : 0;
}

/* --- what they cost ------------------------------------------------------------------ */

static size_t best_placement(const struct hunt *h)
{
	size_t best = 0;

	for (size_t i = 1; i < h->place.n; i++)
		if (h->place.at[i].ms < h->place.at[best].ms)
			best = i;
	return best;
}

static double gain_of(const struct hunt *h, size_t at)
{
	double gap = h->place.at[0].ms - place_ideal_ms(h);

	return gap > 0 ? (h->place.at[0].ms - h->place.at[at].ms) / gap : 0;
}

static int run_all(struct hunt *h, const char *key, unsigned rounds,
		   struct pw_err *err)
{
	double ms[PLACES_MAX];
	int ret;

	for (size_t i = 0; i < PLACES_MAX; i++)
		ms[i] = h->place.at[i].ms > 0 ? h->place.at[i].ms : NAN;
	hunt_progress(h, "place", 0, 0, 0);
	ret = place_run(h, h->module, key, rounds, ms, err);
	for (size_t i = 0; i < h->place.n && !ret; i++)
		h->place.at[i].ms = ms[i];
	return ret;
}

int hunt_place(struct hunt *h, struct pw_err *err)
{
	int ret;

	if (!h->suspect.rt.shows_code || !h->samples.n)
		return 0;
	ret = look_around(h, err);
	if (!ret && h->place.n < 2)
		return 0;
	if (!ret)
		ret = run_all(h, "original", place_rounds(h), err);
	if (!ret && gain_of(h, best_placement(h)) > DOUBT)
		ret = run_all(h, "doubt", DOUBT_ROUNDS, err);
	if (ret)
		return ret;
	h->place.best = best_placement(h);
	h->place.gain = gain_of(h, h->place.best);
	h->place.is_cause = h->place.gain >= CAUSE;
	h->place.is_all =
		h->place.is_cause && h->place.at[h->place.best].ms <
					     h->o->min_gap * place_ideal_ms(h);
	return 0;
}
