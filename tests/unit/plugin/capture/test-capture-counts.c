// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every capture of the corpus: as many records of each type, and samples of
 * each event, as `perf report --stats` counts. What the installed perf can't
 * read is in a table, with counts of a walk over the headers (and of the zstd
 * program); so are the errors of corrupt files. With PERF_WASM_CAPTURES, the captures
 * in that folder instead.
 */
#include "capture-of.h"
#include "corpus-files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

/* Only files whose name begins with one of these are captures. */
static const char *const prefixes[] = { "perf.data", "sleep.", NULL };

static const struct unread {
	const char *name;   /* the end of the path */
	const char *counts; /* by type, rising */
	uint64_t error_off; /* 0: read to the end */
	const char *error;
} unread_by_perf[] = {
	{ "linux-perf-data/sleep.compressed.data",
	  "MMAP 45 COMM 2 EXIT 1 SAMPLE 8 MMAP2 4 KSYMBOL 15 BPF_EVENT 14 FINISHED_ROUND 1 ID_INDEX 1 THREAD_MAP 1 CPU_MAP 1 TIME_CONV 1 COMPRESSED 1 FINISHED_INIT 1 ",
	  0, NULL },
	{ "linux-perf-data/sleep.compressed.pipe.data",
	  "MMAP 45 COMM 2 EXIT 1 SAMPLE 8 MMAP2 4 KSYMBOL 15 BPF_EVENT 14 ATTR 1 FINISHED_ROUND 1 ID_INDEX 1 THREAD_MAP 1 CPU_MAP 1 EVENT_UPDATE 1 TIME_CONV 1 FEATURE 21 COMPRESSED 1 FINISHED_INIT 1 ",
	  0, NULL },
	{ "linux-perf-data/sleep.compressed2.data",
	  "COMM 2 EXIT 1 SAMPLE 7 MMAP2 4 FINISHED_ROUND 1 ID_INDEX 1 THREAD_MAP 1 CPU_MAP 1 EVENT_UPDATE 1 FINISHED_INIT 1 COMPRESSED2 1 ",
	  0, NULL },
	{ "linux-perf-data/sleep.data",
	  "COMM 2 EXIT 1 SAMPLE 7 MMAP2 4 FINISHED_ROUND 1 ID_INDEX 1 THREAD_MAP 1 CPU_MAP 1 EVENT_UPDATE 1 FINISHED_INIT 1 ",
	  0, NULL },
	/* 69 to 80 are features there */
	{ "chromiumos/perf.data.piped.host",
	  "MMAP 12944 COMM 1854 EXIT 6 FORK 2 SAMPLE 1873 ATTR 1 EVENT_TYPE 1 FEATURE 12 ",
	  0, NULL },
	{ "chromiumos/perf.data.piped.powerpc",
	  "MMAP 28 COMM 2 EXIT 2 SAMPLE 9997 ATTR 1 EVENT_TYPE 1 BUILD_ID 4 FEATURE 12 ",
	  0, NULL },
	{ "chromiumos/perf.data.piped.production",
	  "MMAP 2024 COMM 3916 EXIT 4 SAMPLE 6290 ATTR 1 EVENT_TYPE 1 BUILD_ID 502 FEATURE 12 ",
	  0, NULL },
	{ "quipper/perf.data.piped.corrupted.zero_size_sample-3.2",
	  "MMAP 468 COMM 100 ATTR 1 EVENT_TYPE 1 ", 49104,
	  "a record of type 9 says that it has 0 bytes" },
	/* AUX data of a pipe, over which this perf trips */
	{ "quipper/perf.data.piped.intel_pt-4.14",
	  "MMAP 56 COMM 3 EXIT 1 SAMPLE 11 MMAP2 10 AUX 8 ITRACE_START 2 SWITCH_CPU_WIDE 552 ATTR 4 FINISHED_ROUND 4 AUXTRACE_INFO 1 AUXTRACE 2 TIME_CONV 1 FEATURE 12 ",
	  0, NULL },
};

/* What one reading gives. */
struct tally {
	struct pw_capture *c;
	uint64_t *samples; /* by attr */
	int status;
	struct pw_err err;
};

static void tally_read(struct tally *t, const char *path)
{
	const struct pw_capture_opts o = { .split_reads = true };
	struct pw_event ev;

	memset(t, 0, sizeof(*t));
	t->c = pw_capture_open(path, &o, &t->err);
	if (!t->c)
		fail_msg("%s: %s", path, t->err.msg);
	t->samples = pw_zalloc(4096 * sizeof(*t->samples));
	while ((t->status = pw_capture_next(t->c, &ev, &t->err)) > 0)
		if (ev.type == PW_REC_SAMPLE && ev.attr && ev.attr->idx < 4096)
			t->samples[ev.attr->idx]++;
	if (pw_capture_counts(t->c)->malformed)
		fail_msg("%s: %s", path,
			 pw_capture_counts(t->c)->first_malformed.msg);
	assert_int_equal(pw_capture_counts(t->c)->unknown_ids, 0);
	assert_int_equal(pw_capture_counts(t->c)->out_of_order, 0);
}

static void tally_release(struct tally *t)
{
	pw_capture_close(t->c);
	free(t->samples);
}

/* --- perf's counts ----------------------------------------------------------------- */

static uint64_t ours_of_type(const struct tally *t, const char *name)
{
	unsigned int i;

	for (i = 0; i < PW_N_RECORDS; i++)
		if (pw_record_name(i) && !strcmp(pw_record_name(i), name))
			return pw_capture_counts(t->c)->records[i];
	return UINT64_MAX;
}

/* In pipes perf puts H or G behind names; the recorder had not. */
static bool is_name(const char *ours, const char *theirs)
{
	size_t n = strlen(ours);

	return !strncmp(ours, theirs, n) &&
	       strspn(theirs + n, ":HG") == strlen(theirs + n);
}

static uint64_t ours_of_event(const struct tally *t, const char *name)
{
	uint64_t n = 0;
	uint32_t i;

	for (i = 0; i < pw_capture_n_attrs(t->c); i++)
		if (is_name(pw_capture_attr(t->c, i)->name, name))
			n += t->samples[i];
	return n;
}

/* perf's counts of one event name, added up over equal names. */
struct named {
	char name[128];
	uint64_t n;
};

static struct named *named_add(struct named *v, unsigned int *n,
			       const char *name, uint64_t count)
{
	unsigned int i;

	for (i = 0; i < *n && strcmp(v[i].name, name); i++)
		;
	if (i == *n) {
		assert_true(*n < 64);
		snprintf(v[(*n)++].name, sizeof(v->name), "%s", name);
	}
	v[i].n += count;
	return v;
}

/*
 * "Aggregated stats: ...", lines "  NAME events:  N ( x%)", then for each
 * event that has samples "NAME stats:" and the same lines.
 */
static void compare_stats(const struct tally *t, const char *path,
			  const char *text)
{
	struct named *events = pw_zalloc(64 * sizeof(*events));
	char name[128] = "", event[128] = "";
	unsigned int n_events = 0, i;
	unsigned long long n;
	const char *line, *end;

	for (line = text; *line; line = end + (*end == '\n')) {
		end = line + strcspn(line, "\n");
		if (sscanf(line, " %127s events: %llu", name, &n) == 2 &&
		    *line == ' ') {
			if (*event)
				named_add(events, &n_events, event,
					  strcmp(name, "SAMPLE") ? 0 : n);
			else if (strcmp(name, "TOTAL") &&
				 ours_of_type(t, name) != n)
				fail_msg("%s: %llu records %s, perf has %llu",
					 path,
					 (unsigned long long)ours_of_type(t,
									  name),
					 name, n);
		} else if (end - line > 7 && !strncmp(end - 7, " stats:", 7) &&
			   strncmp(line, "Aggregated", 10)) {
			snprintf(event, sizeof(event), "%.*s",
				 (int)(end - line) - 7, line);
		}
	}
	for (i = 0; i < n_events; i++)
		if (ours_of_event(t, events[i].name) != events[i].n)
			fail_msg("%s: %llu samples of %s, perf has %llu", path,
				 (unsigned long long)
					 ours_of_event(t, events[i].name),
				 events[i].name,
				 (unsigned long long)events[i].n);
	free(events);
}

static uint64_t total_of(const char *text)
{
	const char *p = strstr(text, "TOTAL events:");

	return p ? strtoull(p + strlen("TOTAL events:"), NULL, 10) : 0;
}

/* --- one file ------------------------------------------------------------------------ */

static const struct unread *unread_find(const char *path)
{
	size_t i, n;

	for (i = 0; i < sizeof(unread_by_perf) / sizeof(unread_by_perf[0]);
	     i++) {
		n = strlen(unread_by_perf[i].name);
		if (strlen(path) > n &&
		    !strcmp(path + strlen(path) - n, unread_by_perf[i].name))
			return &unread_by_perf[i];
	}
	return NULL;
}

static void compare_table(const struct tally *t, const struct unread *u)
{
	struct pw_buf counts = { 0 };
	unsigned int i;

	for (i = 0; i < PW_N_RECORDS; i++)
		if (pw_capture_counts(t->c)->records[i])
			pw_buf_printf(&counts, "%s %llu ", pw_record_name(i),
				      (unsigned long long)pw_capture_counts(
					      t->c)
					      ->records[i]);
	assert_string_equal(pw_buf_str(&counts), u->counts);
	pw_buf_release(&counts);
	assert_int_equal(t->status, u->error ? -EINVAL : 0);
	if (!u->error)
		return;
	assert_int_equal(t->err.off, u->error_off);
	assert_non_null(strstr(t->err.msg, u->error));
}

/*
 * perf fails on what a killed recorder left. A copy whose header says how much
 * there is, and that there are no features, it can read. The caller frees.
 */
static char *mend(const struct tally *t, const char *path)
{
	const uint64_t tail = pw_capture_counts(t->c)->tail_bytes;
	char *mended = pw_asprintf("%s.mended", path);
	struct pw_file f = { 0 };
	struct pw_buf b = { 0 };
	uint64_t size;

	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	pw_buf_add(&b, f.data, f.size);
	memcpy(&size, b.data + 40, 8);
	size = b.len - size - tail;
	memcpy(b.data + 48, &size, 8);
	memset(b.data + 72, 0, 32);
	assert_int_equal(pw_file_write(mended, b.data, b.len - tail, NULL), 0);
	pw_buf_release(&b);
	pw_file_close(&f);
	return mended;
}

static void compare_with_perf(const struct tally *t, const char *capture)
{
	bool killed = pw_capture_facts(t->c)->is_killed;
	char *path = killed ? mend(t, capture) : pw_strdup(capture);
	const char *const argv[] = { "perf", "report", "--stats", "--force",
				     "-i",   path,     NULL };
	struct pw_buf out = { 0 };
	uint64_t ours = 0;
	unsigned int i;

	assert_int_equal(t->status, 0);
	if (pw_child_run(argv, UINT64_MAX, &out, NULL, 1 << 20, NULL, NULL))
		fail_msg("perf can't be run");
	if (!total_of(pw_buf_str(&out)))
		fail_msg("%s: perf counts nothing", path);
	compare_stats(t, path, pw_buf_str(&out));
	for (i = 0; i <= PW_N_RECORDS; i++)
		ours += pw_capture_counts(t->c)->records[i];
	if (ours != total_of(pw_buf_str(&out)))
		fail_msg("%s: %llu records, perf has %llu", path,
			 (unsigned long long)ours,
			 (unsigned long long)total_of(pw_buf_str(&out)));
	pw_buf_release(&out);
	if (killed)
		unlink(path);
	free(path);
}

/* perf 6.1 trips over tracing data in a pipe, so the headers are walked. */
static void compare_walk(const struct tally *t, const char *path)
{
	uint64_t n[PW_N_RECORDS + 1] = { 0 }, at = 16;
	struct pw_file f = { 0 };
	unsigned int i;

	assert_int_equal(pw_file_open(&f, path, NULL), 0);
	while (at + 8 <= f.size) {
		uint32_t type, first = 0;
		uint16_t size;

		memcpy(&type, f.data + at, 4);
		memcpy(&size, f.data + at + 6, 2);
		if (type == PW_REC_TRACING_DATA)
			memcpy(&first, f.data + at + 8, 4);
		n[type < PW_N_RECORDS ? type : PW_N_RECORDS]++;
		at += size;
		at += (first + 7) / 8 * 8;
	}
	for (i = 0; i < PW_N_RECORDS; i++)
		assert_int_equal(pw_capture_counts(t->c)->records[i], n[i]);
	assert_true(n[PW_REC_SAMPLE] > 0);
	pw_file_close(&f);
}

static void compare_one(const struct tally *t, const char *path)
{
	const struct unread *u = unread_find(path);
	const uint64_t *n = pw_capture_counts(t->c)->records;

	if (u)
		compare_table(t, u);
	else if (pw_capture_facts(t->c)->is_pipe && n[PW_REC_TRACING_DATA])
		compare_walk(t, path);
	else
		compare_with_perf(t, path);
}

static bool is_capture(const char *name)
{
	size_t i, n = strlen(name);

	if (n > 4 && !strcmp(name + n - 4, ".txt"))
		return false;
	for (i = 0; prefixes[i]; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static unsigned int compare_folder(const char *dir, const char *below)
{
	char *folder = pw_asprintf("%s/%s", dir, below);
	DIR *d = opendir(folder);
	struct dirent *e;
	unsigned int n = 0;

	assert_non_null(d);
	while ((e = readdir(d))) {
		char *path = pw_asprintf("%s/%s", folder, e->d_name);
		struct tally t;

		if (is_capture(e->d_name)) {
			tally_read(&t, path);
			compare_one(&t, path);
			tally_release(&t);
			n++;
		}
		free(path);
	}
	closedir(d);
	free(folder);
	return n;
}

static void perf_or_skip(void)
{
	char *perf = pw_find_program("perf");

	if (!perf) {
		print_message("no perf to count with\n");
		skip();
	}
	free(perf);
}

static unsigned int compare_corpus(void)
{
	static const char *const folders[] = { "quipper", "linux-perf-data",
					       "chromiumos", "perfview" };
	char *dir = corpus_or_skip("perfdata");
	unsigned int n = 0, i;

	for (i = 0; i < 4; i++)
		n += compare_folder(dir, folders[i]);
	assert_true(n >= 60);
	free(dir);
	return n;
}

static void captures_have_as_many_records_as_perf_counts(void **state)
{
	const char *dir = getenv("PERF_WASM_CAPTURES");
	unsigned int n;

	(void)state;
	perf_or_skip();
	n = dir && *dir ? compare_folder(dir, "") : compare_corpus();
	print_message("%u captures\n", n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(captures_have_as_many_records_as_perf_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
