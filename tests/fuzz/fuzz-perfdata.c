// SPDX-License-Identifier: GPL-2.0-only
/*
 * The input is a perf.data file or pipe. A refused one has a reason. Of an accepted one every record is decoded and all that it points to
 * is read; times rise where none is said to be late; what is held back stays
 * within bounds; reading twice gives the same.
 */
#include <stdlib.h>
#include <string.h>

#include <perfwasm/capture.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum_text(const char *s)
{
	return s ? strlen(s) : 0;
}

static uint64_t sum_words(const uint64_t *v, uint64_t n)
{
	uint64_t sum = n, i;

	if ((uintptr_t)v & 7)
		abort();
	for (i = 0; i < n; i++)
		sum = sum * 31 + v[i];
	return sum;
}

static uint64_t sum_sample(const struct pw_sample *s)
{
	uint64_t sum = s->ip + s->period + s->weight;
	uint32_t i;

	for (i = 0; i < s->read.n; i++)
		sum += s->read.values[i].value + s->read.values[i].id;
	sum += sum_words(s->callchain, s->n_callchain);
	sum += sum_words((const uint64_t *)s->branches, 3 * s->n_branches);
	sum += sum_words(s->regs_user.values, s->regs_user.n);
	sum += sum_words(s->regs_intr.values, s->regs_intr.n);
	if (s->raw_size)
		sum += pw_hash(s->raw, s->raw_size, 0);
	if (s->stack_size)
		sum += pw_hash(s->stack, s->stack_size, 0);
	if (s->aux_size)
		sum += pw_hash(s->aux, s->aux_size, 0);
	return sum;
}

static uint64_t sum_event(const struct pw_event *ev)
{
	uint64_t sum = ev->time_ns + ev->off + ev->tid;

	if (ev->n_bytes)
		sum += pw_hash(ev->bytes, ev->n_bytes, 0);
	switch (ev->type) {
	case PW_REC_SAMPLE:
		return sum + sum_sample(&ev->sample);
	case PW_REC_MMAP:
	case PW_REC_MMAP2:
		return sum + sum_text(ev->mmap.filename);
	case PW_REC_COMM:
		return sum + sum_text(ev->comm.comm);
	case PW_REC_KSYMBOL:
		return sum + sum_text(ev->ksymbol.name);
	case PW_REC_CGROUP:
		return sum + sum_text(ev->cgroup.path);
	case PW_REC_NAMESPACES:
		return sum + sum_words((const uint64_t *)ev->namespaces.links,
				       2 * ev->namespaces.n);
	case PW_REC_CALLCHAIN_DEFERRED:
		return sum + sum_words(ev->deferred.ips, ev->deferred.n);
	case PW_REC_TEXT_POKE:
		return sum + pw_hash(ev->text_poke.old_bytes,
				     ev->text_poke.old_len, 0);
	default:
		return sum;
	}
}

static uint64_t sum_facts(struct pw_capture *c)
{
	const struct pw_capture_facts *f = pw_capture_facts(c);
	uint64_t sum = sum_text(f->hostname) + sum_text(f->cpudesc);
	struct pw_field field;
	uint32_t i;

	for (i = 0; i < f->n_argv; i++)
		sum += sum_text(f->argv[i]);
	for (i = 0; i < f->n_build_ids; i++)
		sum += sum_text(f->build_ids[i].filename);
	for (i = 0; i < f->n_more; i++)
		sum += sum_text(f->more[i].key) + sum_text(f->more[i].value);
	for (i = 0; i < pw_capture_n_attrs(c); i++) {
		const struct pw_attr *a = pw_capture_attr(c, i);

		sum += sum_text(a->name) + sum_words(a->ids, a->n_ids);
		if (i < 8 && !pw_capture_field(c, a, "next_pid", &field, NULL))
			sum += field.off;
	}
	return sum;
}

static void check_error(const struct pw_err *err)
{
	if (err->code <= 0 || !err->msg[0])
		abort();
}

/* What one reading gives, as one number. */
static uint64_t read_all(const uint8_t *data, size_t size)
{
	struct pw_capture_opts o = { .queue_bytes = 2 << 20,
				     .split_reads = size & 1,
				     .file_order = size & 2 };
	struct pw_err err = { 0 };
	struct pw_capture *c = pw_capture_open_bytes(data, size, &o, &err);
	uint64_t sum = 0, last = 0, n = 0;
	struct pw_event ev;
	int ret;

	if (!c) {
		check_error(&err);
		return 0;
	}
	while ((ret = pw_capture_next(c, &ev, &err)) > 0) {
		sum = sum * 31 + sum_event(&ev);
		/* a little zstd makes any number of them */
		if (++n > 1000000)
			break;
		if (ev.type >= 64 || ev.time_ns == PW_NO_TIME || !ev.time_ns)
			continue;
		if (ev.time_ns < last && !pw_capture_counts(c)->out_of_order)
			abort();
		last = ev.time_ns;
	}
	if (ret < 0)
		check_error(&err);
	sum += sum_facts(c);
	pw_capture_close(c);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (read_all(data, size) != read_all(data, size))
		abort();
	return 0;
}
