// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures of the corpus against the readings of the same files by quipper
 * (*.pb_text): every number and text of every record, attr and header fact
 * that both know. A reading is flattened to lines "path value", a path being
 * the names of the blocks around ("events.comm_event.pid").
 */
#include "capture-of.h"
#include "corpus-files.h"
#include "golden-reading.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

/* --- ours ------------------------------------------------------------------------ */

/* Where a fact lies: in a structure as a number of so many bytes, or as a
 * pointer to text (0). */
struct place {
	const char *path;
	size_t off, size;
};

#define EVENT(path, member)                                    \
	{                                                      \
		path, offsetof(struct pw_event, member),       \
			sizeof(((struct pw_event *)0)->member) \
	}
#define EVENT_TEXT(path, member)                           \
	{                                                  \
		path, offsetof(struct pw_event, member), 0 \
	}

static const struct place event_places[] = {
	EVENT("events.header.type", type),
	EVENT("events.header.misc", misc),
	EVENT("events.mmap_event.pid", mmap.pid),
	EVENT("events.mmap_event.tid", mmap.tid),
	EVENT("events.mmap_event.start", mmap.addr),
	EVENT("events.mmap_event.len", mmap.len),
	EVENT("events.mmap_event.pgoff", mmap.pgoff),
	EVENT("events.mmap_event.maj", mmap.maj),
	EVENT("events.mmap_event.min", mmap.min),
	EVENT("events.mmap_event.ino", mmap.ino),
	EVENT("events.mmap_event.ino_generation", mmap.ino_generation),
	EVENT("events.mmap_event.prot", mmap.prot),
	EVENT("events.mmap_event.flags", mmap.flags),
	EVENT_TEXT("events.mmap_event.filename", mmap.filename),
	EVENT("events.comm_event.pid", comm.pid),
	EVENT("events.comm_event.tid", comm.tid),
	EVENT_TEXT("events.comm_event.comm", comm.comm),
	EVENT("events.fork_event.pid", task.pid),
	EVENT("events.fork_event.ppid", task.ppid),
	EVENT("events.fork_event.tid", task.tid),
	EVENT("events.fork_event.ptid", task.ptid),
	EVENT("events.fork_event.fork_time_ns", task.time_ns),
	EVENT("events.exit_event.pid", task.pid),
	EVENT("events.exit_event.ppid", task.ppid),
	EVENT("events.exit_event.tid", task.tid),
	EVENT("events.exit_event.ptid", task.ptid),
	EVENT("events.exit_event.fork_time_ns", task.time_ns),
	EVENT("events.context_switch_event.is_out", swtch.is_out),
	EVENT("events.context_switch_event.next_prev_pid", swtch.next_prev_pid),
	EVENT("events.context_switch_event.next_prev_tid", swtch.next_prev_tid),
	EVENT("events.lost_samples_event.num_lost", lost.lost),
	EVENT("events.aux_event.aux_offset", aux.off),
	EVENT("events.aux_event.aux_size", aux.size),
	EVENT("events.itrace_start_event.pid", itrace_start.pid),
	EVENT("events.itrace_start_event.tid", itrace_start.tid),
	EVENT("events.namespaces_event.pid", namespaces.pid),
	EVENT("events.namespaces_event.tid", namespaces.tid),
	EVENT("events.auxtrace_event.size", auxtrace.size),
	EVENT("events.auxtrace_event.offset", auxtrace.offset),
	EVENT("events.auxtrace_event.reference", auxtrace.reference),
	EVENT("events.auxtrace_event.idx", auxtrace.idx),
	EVENT("events.auxtrace_event.tid", auxtrace.tid),
	EVENT("events.auxtrace_event.cpu", auxtrace.cpu),
	EVENT("events.time_conv_event.time_shift", time_conv.shift),
	EVENT("events.time_conv_event.time_mult", time_conv.mult),
	EVENT("events.time_conv_event.time_zero", time_conv.zero),
	EVENT("events.time_conv_event.time_cycles", time_conv.cycles),
	EVENT("events.time_conv_event.time_mask", time_conv.mask),
	EVENT("events.time_conv_event.cap_user_time_zero", time_conv.cap_zero),
	EVENT("events.time_conv_event.cap_user_time_short",
	      time_conv.cap_short),
	EVENT("events.sample_event.ip", sample.ip),
	EVENT("events.sample_event.period", sample.period),
	EVENT("events.sample_event.raw_size", sample.raw_size),
	EVENT("events.sample_event.sample_time_ns", time_ns),
	EVENT("events.sample_event.pid", pid),
	EVENT("events.sample_event.tid", tid),
	EVENT("events.sample_event.cpu", cpu),
	EVENT("events.sample_event.id", id),
	{ NULL, 0, 0 }
};

/* In the tail of every other record. */
static const struct place tail_places[] = { EVENT(".sample_info.sample_time_ns",
						  time_ns),
					    EVENT(".sample_info.pid", pid),
					    EVENT(".sample_info.tid", tid),
					    EVENT(".sample_info.cpu", cpu),
					    EVENT(".sample_info.id", id),
					    { NULL, 0, 0 } };

#define ATTR(path, member)                                                 \
	{                                                                  \
		"file_attrs.attr." path, offsetof(struct pw_attr, member), \
			sizeof(((struct pw_attr *)0)->member)              \
	}

static const struct place attr_places[] = {
	ATTR("type", type),
	ATTR("config", config),
	ATTR("sample_period", sample_period),
	ATTR("sample_type", sample_type),
	ATTR("read_format", read_format),
	ATTR("wakeup_events", wakeup),
	ATTR("bp_type", bp_type),
	ATTR("bp_addr", config1),
	ATTR("bp_len", config2),
	ATTR("branch_sample_type", branch_sample_type),
	ATTR("sample_regs_user", sample_regs_user),
	ATTR("sample_stack_user", sample_stack_user),
	{ NULL, 0, 0 }
};

/* The bits of pw_attr.flags. */
static const struct {
	const char *name;
	int bit;
} flag_bits[] = {
	{ "disabled", 0 },
	{ "inherit", 1 },
	{ "pinned", 2 },
	{ "exclusive", 3 },
	{ "exclude_user", 4 },
	{ "exclude_kernel", 5 },
	{ "exclude_hv", 6 },
	{ "exclude_idle", 7 },
	{ "mmap", 8 },
	{ "comm", 9 },
	{ "freq", 10 },
	{ "inherit_stat", 11 },
	{ "enable_on_exec", 12 },
	{ "task", 13 },
	{ "watermark", 14 },
	{ "mmap_data", 17 },
	{ "sample_id_all", 18 },
	{ "exclude_host", 19 },
	{ "exclude_guest", 20 },
	{ "exclude_callchain_kernel", 21 },
	{ "exclude_callchain_user", 22 },
	{ "mmap2", 23 },
	{ "comm_exec", 24 },
	{ "use_clockid", 25 },
	{ "context_switch", 26 },
	{ "write_backward", 27 },
	{ "namespaces", 28 },
};

static uint64_t number_at(const void *p, size_t size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return *(const uint16_t *)p;
	case 4:
		return *(const uint32_t *)p;
	default:
		return *(const uint64_t *)p;
	}
}

static bool same_number(uint64_t ours, const char *theirs)
{
	if (!strcmp(theirs, "true") || !strcmp(theirs, "false"))
		return ours == !strcmp(theirs, "true");
	return ours == strtoull(theirs, NULL, 10);
}

/* Theirs is in quotes, and has escapes only where ours has odd bytes. */
static bool same_text(const char *ours, const char *theirs)
{
	size_t n = ours ? strlen(ours) : 0;

	return ours &&
	       (strchr(theirs, '\\') ||
		(strlen(theirs) == n + 2 && !strncmp(theirs + 1, ours, n)));
}

/* 1: compared, 0: unknown to us; fails when they differ. */
static int compare(const struct place *at, const void *base,
		   const struct reading *r, const char *key)
{
	for (; at->path && strcmp(at->path, key); at++)
		;
	if (!at->path)
		return 0;
	if (at->size) {
		uint64_t ours =
			number_at((const char *)base + at->off, at->size);

		if (!same_number(ours, r->value))
			fail_msg("%s: %llu, expected %s", r->key,
				 (unsigned long long)ours, r->value);
	} else {
		const char *ours =
			*(const char *const *)((const char *)base + at->off);

		if (!same_text(ours, r->value))
			fail_msg("%s: %s, expected %s", r->key, ours, r->value);
	}
	return 1;
}

/* --- events ------------------------------------------------------------------------ */

static const char *const branch_keys[] = {
	"from_ip", "to_ip",  "mispredicted", "predicted", "in_transaction",
	"abort",   "cycles", "type",         "spec"
};

static uint64_t branch_part(const struct pw_branch *b, size_t key)
{
	const uint64_t f = b->flags;

	switch (key) {
	case 0:
		return b->from;
	case 1:
		return b->to;
	case 6:
		return f >> 4 & 0xffff;
	case 7:
		return f >> 20 & 15;
	case 8:
		return f >> 24 & 3;
	default:
		return f >> (key - 2) & 1;
	}
}

static int compare_branch(const struct pw_event *ev, const struct reading *r,
			  unsigned int n)
{
	const char *name = strrchr(r->key, '.') + 1;
	size_t i;

	for (i = 0; i < sizeof(branch_keys) / sizeof(branch_keys[0]); i++) {
		if (strcmp(branch_keys[i], name))
			continue;
		assert_true(n < ev->sample.n_branches);
		if (!same_number(branch_part(&ev->sample.branches[n], i),
				 r->value))
			fail_msg("branch %u: %s", n, r->key);
		return 1;
	}
	return 0;
}

static int compare_event(const struct pw_event *ev, const struct reading *r)
{
	const char *tail = strstr(r->key, ".sample_info.");

	if (tail)
		return compare(tail_places, ev, r, tail);
	if (!strcmp(r->key, "events.header.size")) {
		assert_true(same_number(ev->n_bytes + 8u, r->value));
		return 1;
	}
	if (strstr(r->key, ".link_info.dev") ||
	    strstr(r->key, ".link_info.i")) {
		const struct pw_namespace *l = &ev->namespaces.links[r->n];

		assert_true(r->n < ev->namespaces.n);
		assert_true(
			same_number(strstr(r->key, ".dev") ? l->dev : l->ino,
				    r->value));
		return 1;
	}
	return compare(event_places, ev, r, r->key);
}

/*
 * Our next record of this type. quipper keeps not all of perf's own, and gives
 * them before all others, so they are read through a capture of their own.
 */
static void next_alike(struct pw_capture *const both[2], struct pw_event *ev,
		       const char *type)
{
	bool own = strtoul(type, NULL, 10) >= 64;
	struct pw_err err;

	for (;;) {
		if (pw_capture_next(both[own], ev, &err) <= 0)
			fail_msg("no more records of type %s", type);
		if (same_number(ev->type, type))
			return;
		if (ev->type < 64 && !own)
			fail_msg("a record of type %u, expected %s", ev->type,
				 type);
	}
}

/* quipper makes one of mappings that follow each other (huge pages). */
static bool is_joined(struct pw_capture *c, struct pw_event *ev,
		      const char *len)
{
	uint64_t whole = strtoull(len, NULL, 10), end, sum = ev->mmap.len;

	if (ev->mmap.len >= whole)
		return false;
	while (sum < whole) {
		end = ev->mmap.addr + ev->mmap.len;
		assert_int_equal(pw_capture_next(c, ev, NULL), 1);
		assert_int_equal(ev->type, PW_REC_MMAP);
		assert_true(ev->mmap.addr == end);
		sum += ev->mmap.len;
	}
	assert_true(sum == whole);
	return true;
}

/* All lines of one block "events"; the type is the first. */
static unsigned int compare_record(struct pw_capture *const both[2],
				   struct reading *r)
{
	unsigned int n = 0, branch = UINT32_MAX;
	struct pw_event ev = { 0 };
	bool joined = false;

	while (!r->closes && next_line(r)) {
		if (!r->value || joined)
			continue;
		if (!strcmp(r->key, "events.header.type"))
			next_alike(both, &ev, r->value);
		if (!strcmp(r->key, "events.mmap_event.len") &&
		    is_joined(both[0], &ev, r->value)) {
			joined = true;
			continue;
		}
		if (!strncmp(r->key, "events.sample_event.branch_stack.", 33)) {
			branch += !strcmp(r->key + 33, "from_ip");
			n += (unsigned int)compare_branch(&ev, r, branch);
		} else {
			n += (unsigned int)compare_event(&ev, r);
		}
	}
	return n;
}

/* --- attrs and facts --------------------------------------------------------------- */

static int compare_attr(const struct pw_attr *a, const struct reading *r)
{
	size_t i;

	if (!strcmp(r->key, "file_attrs.ids")) {
		assert_true(r->n < a->n_ids);
		assert_true(same_number(a->ids[r->n], r->value));
		return 1;
	}
	for (i = 0; i < sizeof(flag_bits) / sizeof(flag_bits[0]); i++)
		if (!strcmp(r->key + strlen("file_attrs.attr."),
			    flag_bits[i].name)) {
			if (!same_number(a->flags >> flag_bits[i].bit & 1,
					 r->value))
				fail_msg("%s", r->key);
			return 1;
		}
	return compare(attr_places, a, r, r->key);
}

#define FACT(path, member)                                           \
	{                                                            \
		"string_metadata." path ".value",                    \
			offsetof(struct pw_capture_facts, member), 0 \
	}

static const struct place fact_places[] = { FACT("hostname", hostname),
					    FACT("kernel_version", osrelease),
					    FACT("perf_version", version),
					    FACT("architecture", arch),
					    FACT("cpu_description", cpudesc),
					    FACT("cpu_id", cpuid),
					    { NULL, 0, 0 } };

static int compare_fact(const struct pw_capture_facts *f,
			const struct reading *r)
{
	if (!strcmp(r->key, "string_metadata.perf_command_line_token.value")) {
		assert_true(r->n < f->n_argv);
		assert_true(same_text(f->argv[r->n], r->value));
		return 1;
	}
	return compare(fact_places, f, r, r->key);
}

static bool has_fact(const struct pw_capture_facts *f, const char *key,
		     const char *value)
{
	uint32_t i;

	for (i = 0; i < f->n_more; i++)
		if (!strcmp(f->more[i].key, key) &&
		    !strcmp(f->more[i].value, value))
			return true;
	return false;
}

/* A block of a name and a number is a fact of ours: "pmu NAME", "type N". */
static unsigned int compare_mapping(const struct pw_capture_facts *f,
				    struct reading *r)
{
	char key[300] = "", value[64] = "";

	while (!r->closes && next_line(r)) {
		if (!r->value)
			continue;
		if (!strcmp(r->key, "pmu_mappings.type"))
			snprintf(value, sizeof(value), "type %s", r->value);
		if (!strcmp(r->key, "pmu_mappings.name"))
			snprintf(key, sizeof(key), "pmu %.*s",
				 (int)strlen(r->value) - 2, r->value + 1);
	}
	if (!has_fact(f, key, value))
		fail_msg("no fact %s: %s", key, value);
	return 1;
}

struct totals {
	unsigned int events, values, attrs, names, build_ids, facts;
};

static void compare_block(struct pw_capture *c, struct reading *r,
			  struct totals *t)
{
	const struct pw_capture_facts *f = pw_capture_facts(c);
	bool attr = !strcmp(r->path, "file_attrs.");
	bool name = !strcmp(r->path, "event_types.");
	bool id = !strcmp(r->path, "build_ids.");

	if (!strcmp(r->path, "pmu_mappings.")) {
		t->facts += compare_mapping(f, r);
		return;
	}
	while (!r->closes && next_line(r)) {
		if (!r->value)
			continue;
		if (attr)
			t->values += (unsigned int)
				compare_attr(pw_capture_attr(c, t->attrs), r);
		else if (name && !strcmp(r->key, "event_types.name"))
			assert_true(
				same_text(pw_capture_attr(c, t->names)->name,
					  r->value));
		else if (id && !strcmp(r->key, "build_ids.filename"))
			assert_true(
				same_text(f->build_ids[t->build_ids].filename,
					  r->value));
		else
			t->facts += (unsigned int)compare_fact(f, r);
	}
	t->attrs += attr;
	t->names += name;
	t->build_ids += id;
}

static void compare_all(struct pw_capture *const both[2], struct reading *r,
			struct totals *t, bool events)
{
	while (next_line(r)) {
		if (!r->opens)
			continue;
		if (strcmp(r->path, "events.")) {
			if (!events)
				compare_block(both[0], r, t);
		} else if (events) {
			t->values += compare_record(both, r);
			t->events++;
		}
	}
}

static struct pw_capture *open_or_fail(const char *path)
{
	struct pw_err err;
	struct pw_capture *c = pw_capture_open(path, NULL, &err);

	if (!c)
		fail_msg("%s", err.msg);
	return c;
}

/* Twice: the events by time, then what is known at the end. */
static void compare_file(const char *capture, const char *golden)
{
	struct pw_capture *const both[2] = { open_or_fail(capture),
					     open_or_fail(capture) };
	struct reading r = { .f = fopen(golden, "r") };
	struct totals t = { 0 };
	struct pw_event ev;

	assert_non_null(r.f);
	compare_all(both, &r, &t, true);
	while (pw_capture_next(both[0], &ev, NULL) > 0)
		assert_true(ev.type >= 64);
	rewind(r.f);
	compare_all(both, &r, &t, false);
	assert_int_equal(t.attrs, pw_capture_n_attrs(both[0]));
	assert_int_equal(t.build_ids, pw_capture_facts(both[0])->n_build_ids);
	assert_int_equal(pw_capture_counts(both[0])->malformed, 0);
	assert_true(t.values > 7 * t.events && t.facts > 10);
	print_message("%s: %u records, %u values, %u facts\n",
		      strrchr(capture, '/') + 1, t.events, t.values, t.facts);
	fclose(r.f);
	free(r.line);
	pw_capture_close(both[0]);
	pw_capture_close(both[1]);
}

static void all_that_quipper_reads_we_read_alike(void **state)
{
	char *dir = corpus_or_skip("perfdata/quipper-expected");
	char *pattern = pw_asprintf("%s/*.pb_text", dir);
	glob_t g;
	size_t i;

	(void)state;
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	for (i = 0; i < g.gl_pathc; i++) {
		char *name = pw_strdup(strrchr(g.gl_pathv[i], '/') + 1), *path;
		char *end = strstr(name, ".pr.out.pb_text");

		*(end ? end : strstr(name, ".pb_text")) = 0;
		path = pw_asprintf("%s/../quipper/%s", dir, name);
		compare_file(path, g.gl_pathv[i]);
		free(path);
		free(name);
	}
	assert_true(g.gl_pathc >= 9);
	globfree(&g);
	free(pattern);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_that_quipper_reads_we_read_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
