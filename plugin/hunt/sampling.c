// SPDX-License-Identifier: GPL-2.0-only
/*
 * A step of a hunt, sample: where in its machine code the suspect spends its
 * time. The host samples itself, or perf does it; offsets count from the start
 * of .text, so they meet any image of the same compilation.
 */
#include "triage/triage-step.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLES_WANTED 2000
#define PERIOD_MIN_NS  50000
#define RUNS_MAX       12

struct tally {
	uint64_t *off;
	size_t n, cap;
	uint64_t n_outside;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void tally_add(struct tally *t, uint64_t off)
{
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 4096;
		t->off = pw_realloc(t->off, t->cap * sizeof(*t->off));
	}
	t->off[t->n++] = off;
}

static void tally_line(struct tally *t, const char *line)
{
	char *end;
	uint64_t off = strtoull(line, &end, 16);

	if (end == line) {
		t->n_outside += *line == '-';
		return;
	}
	tally_add(t, off);
}

static void tally_text(struct tally *t, char *text)
{
	char *line, *save = NULL;

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (strncmp(line, "period_ns", 9))
			tally_line(t, line);
}

/* "N_OUTSIDE OFF:COUNT OFF:COUNT ...", the journal's form. */
static void tally_print(struct tally *t, struct pw_buf *out)
{
	if (t->n)
		qsort(t->off, t->n, sizeof(*t->off), by_value);
	pw_buf_printf(out, "%llu", (unsigned long long)t->n_outside);
	for (size_t i = 0, k; i < t->n; i = k) {
		for (k = i; k < t->n && t->off[k] == t->off[i]; k++)
			;
		pw_buf_printf(out, " %llx:%zu", (unsigned long long)t->off[i],
			      k - i);
	}
}

/* The samples of one run, added to the tally. -EAGAIN: this run ended
 * otherwise than those before, so it left none; err says how. */
static int sample_run(struct hunt *h, const char *path, struct tally *t,
		      struct pw_err *err)
{
	double period_ns = h->suspect.base_ms * 1e6 / SAMPLES_WANTED;
	struct pw_host_request req;
	struct pw_host_reply reply;
	struct pw_file f = { 0 };
	struct pw_buf text = { 0 };
	int ret;

	pw_guest_request(&h->box, h->module_path, &req);
	req.samples_path = path;
	req.sample_period_ns =
		period_ns > PERIOD_MIN_NS ? (uint64_t)period_ns : PERIOD_MIN_NS;
	ret = hunt_run(h, &h->suspect, &req, &reply, err);
	if (!ret && reply.outcome != h->suspect.base.outcome)
		return pw_err_set(
			err, EAGAIN,
			"a run of %s that was to be sampled ended with %s%s%s, where others ended with %s; hunt again when the machine is less busy",
			h->suspect.rt.spec, pw_outcome_name(reply.outcome),
			*reply.message ? ": " : "", reply.message,
			pw_outcome_name(h->suspect.base.outcome));
	if (!ret)
		ret = pw_file_open(&f, path, err);
	if (ret)
		return ret;
	pw_buf_add(&text, f.data, f.size);
	pw_buf_str(&text);
	tally_text(t, (char *)text.data);
	pw_buf_release(&text);
	pw_file_close(&f);
	return 0;
}

/* Short runs are sampled several times. */
static int take_samples(struct hunt *h, struct pw_buf *out, struct pw_err *err)
{
	char *path = pw_asprintf("%s/samples", h->box.dir);
	struct tally t = { 0 };
	int ret = 0;

	for (int i = 0; i < RUNS_MAX && (!ret || ret == -EAGAIN); i++) {
		if (t.n + t.n_outside >= SAMPLES_WANTED * 3 / 4)
			break;
		ret = sample_run(h, path, &t, err);
	}
	if (ret == -EAGAIN && t.n + t.n_outside)
		ret = 0;
	tally_print(&t, out);
	free(t.off);
	free(path);
	return ret;
}

/* By perf, for a runtime that cannot sample itself; none without perf. */
static int take_recorded(struct hunt *h, const struct pw_code *code,
			 struct pw_buf *out, struct pw_err *err)
{
	struct pw_triage_opts o = hunt_recording(h, &h->suspect);
	struct pw_code_sample *v;
	struct pw_host_request req;
	struct tally t = { 0 };
	size_t n;
	int ret = hunt_open(h, &h->suspect, err);

	if (ret)
		return ret;
	pw_guest_request(&h->box, h->module_path, &req);
	req.digest = false;
	ret = pw_triage_code(h->suspect.session, &req, &o, &v, &n, &t.n_outside,
			     err);
	for (size_t i = 0; i < n; i++) {
		const struct pw_code_func *f =
			pw_code_func_find(code, v[i].func_idx);

		for (uint64_t k = 0; f && k < v[i].n; k++)
			tally_add(&t, f->text_off + v[i].off);
		t.n_outside += f ? 0 : v[i].n;
	}
	tally_print(&t, out);
	free(t.off);
	free(v);
	return ret == -ENOTSUP ? 0 : ret;
}

static void samples_parse(struct hunt *h, const char *text,
			  const struct pw_code *code)
{
	size_t cap = strlen(text) / 4 + 1;
	char *p;
	double total = (double)strtoull(text, &p, 10), inside = 0;

	free(h->samples.text_off);
	free(h->samples.wasm_off);
	free(h->samples.share);
	h->samples.text_off = pw_zalloc(cap * sizeof(uint64_t));
	h->samples.wasm_off = pw_zalloc(cap * sizeof(uint64_t));
	h->samples.share = pw_zalloc(cap * sizeof(double));
	h->samples.n = 0;
	while (*p == ' ' && h->samples.n < cap) {
		size_t i = h->samples.n++;

		h->samples.text_off[i] = strtoull(p, &p, 16);
		h->samples.wasm_off[i] =
			pw_code_wasm_off(code, h->samples.text_off[i]);
		h->samples.share[i] =
			*p == ':' ? (double)strtoull(p + 1, &p, 10) : 0;
		inside += h->samples.share[i];
	}
	total += inside;
	for (size_t i = 0; i < h->samples.n; i++)
		h->samples.share[i] /= total;
	h->samples.in_code = total > 0 ? inside / total : 0;
	h->samples.n_samples = (uint64_t)total;
}

static int take(struct hunt *h, const struct pw_code *code, const char *key,
		struct pw_buf *out, struct pw_err *err)
{
	int ret = h->suspect.rt.samples ? take_samples(h, out, err)
					: take_recorded(h, code, out, err);

	return ret ? ret
		   : pw_journal_add(h->journal, "samples", key, err, "%s",
				    pw_buf_str(out));
}

int hunt_sample(struct hunt *h, struct pw_err *err)
{
	const char *key = h->scaled ? "scaled" : "given";
	const char *text = pw_journal_find(h->journal, "samples", key);
	struct pw_buf taken = { 0 };
	struct image im;
	int ret;

	if (!h->suspect.rt.shows_code)
		return 0;
	hunt_progress(h, "sample", 0, 0, 0);
	ret = hunt_compile(h, h->module_path, &im, err);
	if (ret)
		return ret;
	if (im.code && !text) {
		ret = take(h, im.code, key, &taken, err);
		text = pw_buf_str(&taken);
	}
	if (!ret && im.code) {
		samples_parse(h, text, im.code);
		ret = hunt_roads(h, im.code, err);
	}
	hunt_image_release(&im);
	pw_buf_release(&taken);
	return ret;
}
