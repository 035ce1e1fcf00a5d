// SPDX-License-Identifier: GPL-2.0-only
/*
 * A part of a hunt's baseline: does an oracle do the module's work at all? A
 * compiler deletes a loop without effect, and a command that somebody gives may
 * not even look at the module. Then its time does not tell how much work a
 * mutant does. An oracle that is much faster than the suspect runs the module
 * and a copy that returns at once, in turn: what tells the two apart is work.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* An oracle that needs more than this share of the suspect's time does work:
 * starting a process and what else runs beside it takes less. */
#define SURE_SHARE 0.25
/* One that needs less than this share for the work has deleted it, even if
 * something is left. */
#define DELETED_SHARE 0.01

#define EMPTIED "emptied.wasm"

bool hunt_tells_work(const struct pw_series *whole,
		     const struct pw_series *emptied, double suspect_ms)
{
	double work, most, least;

	if (!whole->n)
		return false;
	work = pw_median(whole->cpu_ms, whole->n);
	if (!emptied->n)
		return work > DELETED_SHARE * suspect_ms;
	work -= pw_median(emptied->cpu_ms, emptied->n);
	most = pw_max(emptied->cpu_ms, emptied->n);
	least = pw_min(emptied->cpu_ms, emptied->n);
	/* What disturbs a run makes it longer: so even the shortest must be
	 * further from all without work than they are from each other. */
	return work > DELETED_SHARE * suspect_ms &&
	       pw_min(whole->cpu_ms, whole->n) - most > most - least;
}

/* Constants of 0 for what the function gives back, and the end of its body. */
static bool make_return(const struct pw_functype *type, struct pw_buf *out)
{
	static const uint8_t zeros[] = { 0x41, 0, 0x42, 0, 0x43, 0, 0, 0, 0,
					 0x44, 0, 0,    0, 0,    0, 0, 0, 0 };

	for (uint32_t i = 0; i < type->n_results; i++)
		switch (type->results[i]) {
		case PW_I32:
			pw_buf_add(out, zeros, 2);
			break;
		case PW_I64:
			pw_buf_add(out, zeros + 2, 2);
			break;
		case PW_F32:
			pw_buf_add(out, zeros + 4, 5);
			break;
		case PW_F64:
			pw_buf_add(out, zeros + 9, 9);
			break;
		default:
			return false;
		}
	pw_buf_add(out, "\x0b", 1);
	return true;
}

bool hunt_empty_copy(const struct pw_module *m, const char *invoke,
		     struct pw_buf *out)
{
	const struct pw_export *e = pw_module_export_find(m, invoke);
	const struct pw_func *f =
		e && e->kind == PW_EXT_FUNC ? pw_module_func(m, e->idx) : NULL;
	const struct pw_functype *type =
		f && f->body_off ? pw_module_functype(m, f->type_idx) : NULL;
	struct pw_buf body = { 0 };
	bool is_made;

	is_made = type && make_return(type, &body) &&
		  !pw_splice_body(m, e->idx, f->code_off,
				  (uint32_t)(f->body_off + f->body_size -
					     f->code_off),
				  body.data, (uint32_t)body.len, out, NULL);
	pw_buf_release(&body);
	return is_made;
}

/* The path of the copy in the box; NULL: there is none. */
static char *write_emptied(struct hunt *h)
{
	const char *invoke = h->o->guest.invoke ?: "_start";
	char *path = pw_asprintf("%s/" EMPTIED, h->box.dir);
	struct pw_buf b = { 0 };

	if (!hunt_empty_copy(h->module, invoke, &b) ||
	    pw_file_write(path, b.data, b.len, NULL)) {
		free(path);
		path = NULL;
	}
	pw_buf_release(&b);
	return path;
}

static int measure(struct hunt *h, struct runner *oracle, const char *emptied,
		   struct pw_series series[2], struct pw_err *err)
{
	struct pw_contestant c[2] = { 0 };
	struct pw_interleave_opts opts = {
		.min_rounds = 9,
		.max_rounds = 9,
		.budget_ns = UINT64_C(20000000000),
		.seed = h->o->seed,
	};
	int ret = hunt_open(h, oracle, err);

	for (size_t i = 0; i < 2; i++) {
		c[i].session = oracle->session;
		pw_guest_request(&h->box, i ? emptied : h->module_path,
				 &c[i].req);
	}
	if (!ret)
		ret = pw_interleave(c, 2, &opts, err);
	for (size_t i = 0; i < 2; i++) {
		series[i] = c[i].series;
		hunt_spent(h, &series[i]);
	}
	return ret;
}

static int ask(struct hunt *h, struct runner *oracle, const char *key,
	       struct pw_err *err)
{
	struct pw_series series[2] = { { 0 } };
	char *emptied = write_emptied(h);
	int ret = 0;

	if (emptied) {
		ret = measure(h, oracle, emptied, series, err);
		remove(emptied);
	}
	oracle->tracks_work =
		hunt_tells_work(emptied ? &series[0] : &oracle->base,
				&series[1], h->suspect.base_ms);
	if (!ret)
		ret = pw_journal_add(h->journal, "work", key, err, "%d",
				     oracle->tracks_work);
	for (size_t i = 0; i < 2; i++)
		pw_series_release(&series[i]);
	free(emptied);
	return ret;
}

int hunt_look_for_work(struct hunt *h, struct runner *oracle,
		       struct pw_err *err)
{
	const char *seen;
	char *key;
	int ret = 0;

	oracle->tracks_work = oracle->base_ms > SURE_SHARE * h->suspect.base_ms;
	if (oracle->tracks_work)
		return 0;
	key = pw_asprintf("%td %016llx", oracle - h->oracles,
			  (unsigned long long)pw_hash(h->bytes.data,
						      h->bytes.len, 0));
	seen = pw_journal_find(h->journal, "work", key);
	if (seen)
		oracle->tracks_work = *seen == '1';
	else
		ret = ask(h, oracle, key, err);
	free(key);
	return ret;
}
