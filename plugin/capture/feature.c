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
	uint64_t off; /* of the first byte in the file */
	const uint8_t *first;
	bool bad;
	struct pw_err why; /* code 0: no more is known */
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

/* A list of n parts of `least` bytes or more; 0 when they can't be there. */
static uint32_t list(struct part *f, size_t least)
{
	uint32_t n = u32(f);

	if (n > (uint64_t)(f->end - f->p) / least) {
		f->bad = true;
		return 0;
	}
	return n;
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

static void add_fact(struct part *f, char *key, char *value)
{
	struct pw_capture_facts *facts = &f->c->facts;
	uint32_t n = facts->n_more;

	if (!(n & (n - 1)))
		f->c->more = pw_realloc(f->c->more,
					(n ? 2 * n : 1) * sizeof(*f->c->more));
	f->c->more[n].key = keep_memory(f->c, key);
	f->c->more[n].value = keep_memory(f->c, value);
	facts->more = f->c->more;
	facts->n_more++;
}

static char *own_text(struct part *f)
{
	size_t len;
	const char *s = text(f, &len);

	return pw_strndup(s, len);
}

/* --- the recorder and the machine ---------------------------------------------- */

static void read_nothing(struct part *f)
{
	(void)f;
}

static void read_tracing_data(struct part *f)
{
	struct pw_err err = { 0 };

	if (!tracing_read(f->c, f->first, (size_t)(f->end - f->first), f->off,
			  &err))
		return;
	f->bad = true;
	f->why = err;
}

static void read_hostname(struct part *f)
{
	f->c->facts.hostname = kept_text(f);
}

static void read_osrelease(struct part *f)
{
	f->c->facts.osrelease = kept_text(f);
}

static void read_version(struct part *f)
{
	f->c->facts.version = kept_text(f);
}

static void read_arch(struct part *f)
{
	f->c->facts.arch = kept_text(f);
}

static void read_cpudesc(struct part *f)
{
	f->c->facts.cpudesc = kept_text(f);
}

static void read_cpuid(struct part *f)
{
	f->c->facts.cpuid = kept_text(f);
}

static void read_nrcpus(struct part *f)
{
	f->c->facts.n_cpus_avail = u32(f);
	f->c->facts.n_cpus_online = u32(f);
}

static void read_total_mem(struct part *f)
{
	f->c->facts.total_mem_kb = u64(f);
}

static void read_cmdline(struct part *f)
{
	uint32_t n = list(f, 4), i;
	const char **argv;

	argv = keep_memory(f->c, pw_alloc((n + 1) * sizeof(*argv)));
	for (i = 0; i < n; i++)
		argv[i] = kept_text(f);
	argv[n] = NULL;
	f->c->facts.argv = argv;
	f->c->facts.n_argv = n;
}

static void read_siblings(struct part *f, const char *key)
{
	uint32_t n = list(f, 4), i;

	for (i = 0; i < n && !f->bad; i++)
		add_fact(f, pw_strdup(key), own_text(f));
}

/* Core and thread siblings, core and socket of each CPU; since Linux 5.1 the
 * siblings and numbers of dies. */
static void read_cpu_topology(struct part *f)
{
	uint32_t n = f->c->facts.n_cpus_avail, i;

	read_siblings(f, "core siblings");
	read_siblings(f, "thread siblings");
	for (i = 0; i < n && !f->bad && f->end - f->p >= 8; i++) {
		uint32_t core = u32(f), socket = u32(f);

		add_fact(f, pw_asprintf("cpu %u", i),
			 pw_asprintf("core %d socket %d", (int)core,
				     (int)socket));
	}
	if (f->p == f->end || f->bad)
		return;
	read_siblings(f, "die siblings");
	for (i = 0; i < n && !f->bad && f->end - f->p >= 4; i++)
		add_fact(f, pw_asprintf("cpu %u", i),
			 pw_asprintf("die %d", (int)u32(f)));
}

static void read_numa_topology(struct part *f)
{
	uint32_t n = list(f, 24), i;

	for (i = 0; i < n && !f->bad; i++) {
		uint32_t node = u32(f);
		uint64_t total = u64(f), unused = u64(f);
		size_t len;
		const char *cpus = text(f, &len);

		add_fact(f, pw_asprintf("numa node %u", node),
			 pw_asprintf("cpus %.*s, %llu kB, %llu kB free",
				     (int)len, cpus, (unsigned long long)total,
				     (unsigned long long)unused));
	}
}

static void read_pmu_mappings(struct part *f)
{
	uint32_t n = list(f, 8), i;

	for (i = 0; i < n && !f->bad; i++) {
		uint32_t type = u32(f);
		size_t len;
		const char *name = text(f, &len);

		add_fact(f, pw_asprintf("pmu %.*s", (int)len, name),
			 pw_asprintf("type %u", type));
	}
}

static void read_cache(struct part *f)
{
	uint32_t n, i;

	u32(f); /* version */
	n = list(f, 28);
	for (i = 0; i < n && !f->bad; i++) {
		uint32_t level = u32(f), line = u32(f), sets = u32(f),
			 ways = u32(f);
		size_t type_len, size_len, map_len;
		const char *type = text(f, &type_len);
		const char *size = text(f, &size_len);
		const char *map = text(f, &map_len);

		add_fact(f,
			 pw_asprintf("cache L%u %.*s", level, (int)type_len,
				     type),
			 pw_asprintf(
				 "%.*s, line %u, %u sets, %u ways, cpus %.*s",
				 (int)size_len, size, line, sets, ways,
				 (int)map_len, map));
	}
}

static void read_mem_topology(struct part *f)
{
	uint64_t block;

	u64(f); /* version */
	block = u64(f);
	add_fact(f, pw_strdup("memory block"),
		 pw_asprintf("%llu bytes", (unsigned long long)block));
}

static void read_hybrid_topology(struct part *f)
{
	uint32_t n = list(f, 8), i;

	for (i = 0; i < n && !f->bad; i++) {
		size_t len;
		const char *name = text(f, &len);

		add_fact(f, pw_asprintf("hybrid %.*s", (int)len, name),
			 own_text(f));
	}
}

/* Capabilities of one PMU: its name stands behind them. */
static void read_caps(struct part *f, bool is_named)
{
	struct pw_buf b = { 0 };
	uint32_t n = list(f, 8), i;

	for (i = 0; i < n && !f->bad; i++) {
		size_t name_len, value_len;
		const char *name = text(f, &name_len);
		const char *value = text(f, &value_len);

		pw_buf_printf(&b, "%s%.*s=%.*s", i ? ", " : "", (int)name_len,
			      name, (int)value_len, value);
	}
	add_fact(f,
		 is_named ? pw_asprintf("capabilities %s", kept_text(f))
			  : pw_strdup("capabilities cpu"),
		 pw_strdup(pw_buf_str(&b)));
	pw_buf_release(&b);
}

static void read_cpu_pmu_caps(struct part *f)
{
	read_caps(f, false);
}

static void read_pmu_caps(struct part *f)
{
	uint32_t n = list(f, 8), i;

	for (i = 0; i < n && !f->bad; i++)
		read_caps(f, true);
}

static void read_compressed(struct part *f)
{
	uint32_t type, level, ratio;

	u32(f); /* version */
	type = u32(f);
	level = u32(f);
	ratio = u32(f);
	add_fact(f, pw_strdup("compression"),
		 pw_asprintf("%s, level %u, ratio %u",
			     type == 1 ? "zstd" : "unknown", level, ratio));
}

static void read_build_ids(struct part *f)
{
	while (f->p < f->end && !f->bad) {
		const uint8_t *p = bytes(f, HEADER_BYTES);
		uint16_t size = p ? load16(p + 6, f->c->swap) : 0;

		p = size > HEADER_BYTES ? bytes(f, size - HEADER_BYTES) : NULL;
		f->bad |= !p || !build_id_add(f->c, load16(p - 4, f->c->swap),
					      p, size - HEADER_BYTES);
	}
}

/* --- clocks ----------------------------------------------------------------------- */

static void read_sample_time(struct part *f)
{
	f->c->facts.first_sample_ns = u64(f);
	f->c->facts.last_sample_ns = u64(f);
}

static void read_clockid(struct part *f)
{
	f->c->facts.clock_res_ns = u64(f);
}

static void read_clock_data(struct part *f)
{
	u32(f); /* version */
	u32(f); /* the clock, which the attrs name as well */
	f->c->facts.wall_clock_ns = u64(f);
	f->c->facts.clock_ns = u64(f);
	f->c->facts.has_clock_data = !f->bad;
}

/* --- events ----------------------------------------------------------------------- */

/* One event: its attr again, ids and name. */
static void read_event_desc(struct part *f)
{
	uint32_t n = u32(f), attr_bytes = u32(f), i;

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

static void read_group_desc(struct part *f)
{
	uint32_t n = list(f, 12), i, k;

	for (i = 0; i < n && !f->bad; i++) {
		size_t len;
		const char *name = text(f, &len);
		uint32_t leader = u32(f), members = u32(f);

		for (k = leader;
		     !f->bad && k < f->c->n_attrs && k - leader < members; k++)
			f->c->attrs[k]->pub.leader_idx = leader;
		add_fact(f, pw_asprintf("group %.*s", (int)len, name),
			 pw_asprintf("leader %u, %u members", leader, members));
	}
}

/* --- the table -------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*read)(struct part *f);
} features[] = {
#define PW_FEATURE(number, name, reader) [number] = { name, read_##reader },
#include "features.def"
#undef PW_FEATURE
};

#define N_FEATURES (sizeof(features) / sizeof(features[0]))

int feature_read(struct pw_capture *c, unsigned int feature,
		 const uint8_t *data, size_t size, uint64_t off,
		 struct pw_err *err)
{
	struct part f = {
		.c = c, .p = data, .end = data + size, .first = data, .off = off
	};

	/* the recorder had nothing to say */
	if (!size)
		return 0;
	if (feature < N_FEATURES && features[feature].read)
		features[feature].read(&f);
	if (!f.bad)
		return 0;
	if (f.why.code) {
		if (err)
			*err = f.why;
		return -f.why.code;
	}
	return pw_err_at(
		err, EINVAL, off,
		"the header feature \"%s\" does not fit in its %zu bytes",
		features[feature].name, size);
}
