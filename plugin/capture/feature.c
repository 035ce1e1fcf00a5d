// SPDX-License-Identifier: GPL-2.0-only
/*
 * Header features: what the recorder says of the machine, itself and the
 * events. The same content in a file and in FEATURE records of a pipe.
 */
#include <errno.h>
#include <stdlib.h>

#include "session.h"

/* A feature's bytes, read front to back. */
struct part {
	struct pw_capture *c;
	const uint8_t *p, *end;
	uint64_t base;
	bool bad;
};

static const uint8_t *bytes(struct part *f, uint64_t n)
{
	const uint8_t *p = f->p;

	if (n > (uint64_t)(f->end - f->p)) {
		f->bad = true;
		return NULL;
	}
	f->p += n;
	return p;
}

static uint32_t u32(struct part *f)
{
	const uint8_t *p = bytes(f, 4);

	return p ? load32(p, f->c->swap) : 0;
}

static uint64_t u64(struct part *f)
{
	const uint8_t *p = bytes(f, 8);

	return p ? load64(p, f->c->swap) : 0;
}

/* A string of the feature: its place and length up to the zero. */
static const char *text(struct part *f, size_t *len)
{
	uint32_t n = u32(f);
	const char *s = (const char *)bytes(f, n);

	*len = s ? strnlen(s, n) : 0;
	return s ? s : "";
}

static const char *kept_text(struct part *f)
{
	size_t len;
	const char *s = text(f, &len);

	return keep_memory(f->c, pw_strndup(s, len));
}

static void read_hostname(struct part *f, struct pw_capture_facts *facts)
{
	facts->hostname = kept_text(f);
}

static void read_osrelease(struct part *f, struct pw_capture_facts *facts)
{
	facts->osrelease = kept_text(f);
}

static void read_version(struct part *f, struct pw_capture_facts *facts)
{
	facts->version = kept_text(f);
}

static void read_arch(struct part *f, struct pw_capture_facts *facts)
{
	facts->arch = kept_text(f);
}

static void read_cpudesc(struct part *f, struct pw_capture_facts *facts)
{
	facts->cpudesc = kept_text(f);
}

static void read_cpuid(struct part *f, struct pw_capture_facts *facts)
{
	facts->cpuid = kept_text(f);
}

static void read_nrcpus(struct part *f, struct pw_capture_facts *facts)
{
	facts->n_cpus_avail = u32(f);
	facts->n_cpus_online = u32(f);
}

static void read_total_mem(struct part *f, struct pw_capture_facts *facts)
{
	facts->total_mem_kb = u64(f);
}

static void read_cmdline(struct part *f, struct pw_capture_facts *facts)
{
	uint64_t n = u32(f), i;
	const char **argv;

	if (n > (uint64_t)(f->end - f->p) / 4) {
		f->bad = true;
		return;
	}
	argv = keep_memory(f->c, pw_alloc((n + 1) * sizeof(*argv)));
	for (i = 0; i < n; i++)
		argv[i] = kept_text(f);
	argv[n] = NULL;
	facts->argv = argv;
	facts->n_argv = (uint32_t)n;
}

/* One event: its attr again, ids and name. */
static void read_event_desc(struct part *f, struct pw_capture_facts *facts)
{
	uint32_t n = u32(f), attr_bytes = u32(f), i;

	(void)facts;
	for (i = 0; i < n && !f->bad; i++) {
		struct attr *a;
		uint32_t n_ids;
		const char *name;
		size_t len;

		bytes(f, attr_bytes);
		n_ids = u32(f);
		name = text(f, &len);
		a = i < f->c->n_attrs ? f->c->attrs[i] : NULL;
		if (n_ids && f->end - f->p >= 8)
			a = attr_by_id(f->c, load64(f->p, f->c->swap));
		bytes(f, 8ull * n_ids);
		if (a && !f->bad && len)
			attr_set_name(f->c, a, name, len);
	}
}

static void read_group_desc(struct part *f, struct pw_capture_facts *facts)
{
	uint32_t n = u32(f), i;

	(void)facts;
	for (i = 0; i < n && !f->bad; i++) {
		uint32_t leader, members, k;

		size_t len;

		text(f, &len);
		leader = u32(f);
		members = u32(f);
		for (k = leader;
		     !f->bad && k < f->c->n_attrs && k - leader < members; k++)
			f->c->attrs[k]->pub.leader_idx = leader;
	}
}

static void read_sample_time(struct part *f, struct pw_capture_facts *facts)
{
	facts->first_sample_ns = u64(f);
	facts->last_sample_ns = u64(f);
}

static void read_clockid(struct part *f, struct pw_capture_facts *facts)
{
	facts->clock_res_ns = u64(f);
}

static void read_clock_data(struct part *f, struct pw_capture_facts *facts)
{
	u32(f); /* version */
	facts->clockid = (int32_t)u32(f);
	facts->wall_clock_ns = u64(f);
	facts->clock_ns = u64(f);
	facts->has_clock_data = !f->bad;
}

static const struct {
	void (*read)(struct part *f, struct pw_capture_facts *facts);
} features[] = {
	[3] = { read_hostname },    [4] = { read_osrelease },
	[5] = { read_version },     [6] = { read_arch },
	[7] = { read_nrcpus },      [8] = { read_cpudesc },
	[9] = { read_cpuid },       [10] = { read_total_mem },
	[11] = { read_cmdline },    [12] = { read_event_desc },
	[17] = { read_group_desc }, [21] = { read_sample_time },
	[23] = { read_clockid },    [29] = { read_clock_data },
};

int feature_read(struct pw_capture *c, unsigned int feature,
		 const uint8_t *data, size_t size, uint64_t off,
		 struct pw_err *err)
{
	struct part f = { .c = c, .p = data, .end = data + size, .base = off };

	if (feature < sizeof(features) / sizeof(features[0]) &&
	    features[feature].read)
		features[feature].read(&f, &c->facts);
	if (!f.bad)
		return 0;
	return pw_err_at(err, EINVAL, off,
			 "header feature %u does not fit in its %zu bytes",
			 feature, size);
}
