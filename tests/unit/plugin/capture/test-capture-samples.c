// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples of the corpus, one by one and in the same order, against the
 * installed perf: against `perf script -F` line by line, and against its dump
 * (-D), which has the place in the file, raw addresses and branches. With
 * PERF_WASM_CAPTURES, all captures in that folder instead.
 */
#include "capture-of.h"
#include "corpus-files.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>

#define TEXT_MAX (512ull << 20)

static char *perf_text(const char *const *argv)
{
	struct pw_buf out = { 0 };
	int status;

	if (pw_child_run(argv, UINT64_MAX, &out, NULL, TEXT_MAX, &status,
			 NULL) ||
	    out.len == TEXT_MAX)
		fail_msg("perf can't be run, or prints too much");
	pw_buf_str(&out);
	return (char *)out.data;
}

/* Cuts the next line off a text. */
static char *cut_line(char **text)
{
	char *line = *text, *end;

	if (!line || !*line)
		return NULL;
	end = line + strcspn(line, "\n");
	*text = end + (*end == '\n');
	*end = 0;
	return line;
}

static struct pw_capture *open_or_fail(const char *path, bool split)
{
	const struct pw_capture_opts o = { .split_reads = split };
	struct pw_err err;
	struct pw_capture *c = pw_capture_open(path, &o, &err);

	if (!c)
		fail_msg("%s", err.msg);
	return c;
}

static const struct pw_sample *next_sample(struct pw_capture *c,
					   struct pw_event *ev)
{
	while (pw_capture_next(c, ev, NULL) > 0)
		if (ev->type == PW_REC_SAMPLE)
			return &ev->sample;
	return NULL;
}

/* --- perf script -F ------------------------------------------------------------------ */

#define FIRST_MARK ((uint64_t)-4095) /* from here on: PERF_CONTEXT_* */

/* perf shows a user address as its place in the mapped file, so that only
 * its place in the page is the same. */
static bool same_addr(uint64_t ours, uint64_t theirs)
{
	return ours == theirs ||
	       (!(ours >> 63) && (ours & 0xfff) == (theirs & 0xfff));
}

/* "  TID SECONDS.NANOSECONDS: PERIOD EVENT: [ADDR]" */
static void compare_head(const struct pw_event *ev, char *line)
{
	const struct pw_sample *s = &ev->sample;
	uint64_t sec, ns, period = 1, addr;
	char *name, *end;
	int tid, n = 0;

	if (sscanf(line, "%d %" SCNu64 ".%" SCNu64 ": %n", &tid, &sec, &ns,
		   &n) < 3)
		fail_msg("not understood: %s", line);
	if (s->fields & PERF_SAMPLE_PERIOD) {
		period = strtoull(line + n, &name, 10);
		assert_int_equal(period, s->period);
	} else {
		strtoull(line + n, &name, 10);
	}
	name += strspn(name, " ");
	end = strrchr(name, ':');
	*end = 0;
	if (strcmp(name, ev->attr->name))
		fail_msg("event %s, perf has %s", ev->attr->name, name);
	assert_int_equal((int)ev->tid, tid);
	assert_true(ev->time_ns == sec * 1000000000 + ns);
	if (sscanf(end + 1, "%" SCNx64, &addr) == 1)
		assert_true(same_addr(s->ip, addr));
}

/* A frame pointer led into the weeds: such an address is like a mark, but is
 * none, and perf shows nothing of the whole chain. */
static bool perf_discards(const struct pw_sample *s)
{
	static const int marks[] = { 32, 128, 512, 2048, 2176, 2560 };
	uint64_t i;
	size_t k;

	for (i = 0; i < s->n_callchain; i++) {
		if (s->callchain[i] < FIRST_MARK)
			continue;
		for (k = 0; k < 6; k++)
			if (s->callchain[i] == -(uint64_t)marks[k])
				break;
		if (k == 6)
			return true;
	}
	return false;
}

/* One address a line, down to an empty one. */
static void compare_chain(const struct pw_sample *s, char **text)
{
	uint64_t i = perf_discards(s) ? s->n_callchain : 0, addr;
	char *line;

	while ((line = cut_line(text)) && *line) {
		while (i < s->n_callchain && s->callchain[i] >= FIRST_MARK)
			i++;
		addr = strtoull(line, NULL, 16);
		if (i == s->n_callchain || !same_addr(s->callchain[i], addr))
			fail_msg("frame %" PRIu64 " of %" PRIu64
				 ", perf has %" PRIx64,
				 i, s->n_callchain, addr);
		i++;
	}
	while (i < s->n_callchain && s->callchain[i] >= FIRST_MARK)
		i++;
	if (i != s->n_callchain)
		fail_msg("%" PRIu64 " frames, perf has %" PRIu64,
			 s->n_callchain, i);
}

static void compare_lines(const char *path)
{
	const char *const argv[] = { "perf",
				     "script",
				     "--force",
				     "--ns",
				     "--max-stack=1024",
				     "-F",
				     "tid,time,period,event,ip",
				     "-i",
				     path,
				     NULL };
	char *all = perf_text(argv), *text = all, *line;
	struct pw_capture *c = open_or_fail(path, true);
	uint64_t n = 0, frames = 0;
	const struct pw_sample *s;
	struct pw_event ev;

	while ((s = next_sample(c, &ev))) {
		bool chain = s->fields & PERF_SAMPLE_CALLCHAIN;

		line = cut_line(&text);
		if (!line)
			fail_msg("%s: perf has only %" PRIu64 " samples", path,
				 n);
		compare_head(&ev, line);
		if (chain)
			compare_chain(s, &text);
		frames += s->n_callchain;
		n++;
	}
	assert_null(cut_line(&text));
	assert_true(n > 0);
	print_message("%s: %" PRIu64 " samples, %" PRIu64 " frames\n",
		      strrchr(path, '/') + 1, n, frames);
	pw_capture_close(c);
	free(all);
}

/* --- perf script -D ------------------------------------------------------------------ */

/* "[CPU ]TIME OFF [0xSIZE]: PERF_RECORD_SAMPLE(IP, 0xMISC): PID/TID: 0xIP
 * period: PERIOD addr: 0xADDR" */
static void compare_dump_head(const struct pw_event *ev,
			      const struct pw_capture_facts *f,
			      const char *line)
{
	bool has_cpu = ev->sample.fields & PERF_SAMPLE_CPU;
	uint64_t time, ip, period, addr;
	int64_t off; /* "0x68", and "0" at the start of a folder's file */
	unsigned int size, misc;
	int cpu = 0, pid, tid, skip = 0;

	if (has_cpu)
		sscanf(line, "%d %n", &cpu, &skip);
	if (sscanf(line + skip,
		   "%" SCNu64 " %" SCNi64
		   " [0x%x]: PERF_RECORD_SAMPLE(IP, 0x%x): %d/%d: %" SCNx64
		   " period: %" SCNu64 " addr: %" SCNx64,
		   &time, &off, &size, &misc, &pid, &tid, &ip, &period,
		   &addr) != 9)
		fail_msg("not understood: %s", line);
	assert_true(ev->time_ns == time);
	/* perf counts from behind the header of a pipe, and from the start of
	 * what was compressed */
	if (!f->is_compressed)
		assert_true(ev->off == (uint64_t)off + (f->is_pipe ? 16 : 0));
	assert_int_equal(ev->n_bytes + 8, size);
	assert_int_equal(ev->misc, misc);
	assert_int_equal((int)ev->pid, pid);
	assert_int_equal((int)ev->tid, tid);
	assert_true(ev->sample.ip == ip);
	assert_true(ev->sample.addr == addr);
	if (ev->sample.fields & PERF_SAMPLE_PERIOD)
		assert_true(ev->sample.period == period);
	if (has_cpu)
		assert_int_equal((int)ev->cpu, cpu);
}

/* ".....  3: ADDR" of a call chain, ".....  3: FROM -> TO ..." of branches. */
static void compare_dump_line(const struct pw_sample *s, const char *line,
			      uint64_t *n)
{
	uint64_t a, b;
	unsigned int i;
	int found =
		sscanf(line, "..... %u: %" SCNx64 " -> %" SCNx64, &i, &a, &b);

	if (found == 2 && s->fields & PERF_SAMPLE_CALLCHAIN) {
		assert_true(i < s->n_callchain && s->callchain[i] == a);
	} else if (found == 3 && s->fields & PERF_SAMPLE_BRANCH_STACK) {
		assert_true(i < s->n_branches);
		assert_true(s->branches[i].from == a);
		assert_true(s->branches[i].to == b);
	} else {
		return;
	}
	++*n;
}

static void compare_dump(const char *path)
{
	const char *const argv[] = { "perf", "script", "--force", "-D",
				     "-i",   path,     NULL };
	char *all = perf_text(argv), *text = all, *line;
	struct pw_capture *c = open_or_fail(path, false);
	uint64_t n = 0, lines = 0, expected = 0;
	const struct pw_sample *s = NULL;
	struct pw_event ev;

	while ((line = cut_line(&text))) {
		if (strstr(line, "]: PERF_RECORD_SAMPLE(")) {
			s = next_sample(c, &ev);
			assert_non_null(s);
			compare_dump_head(&ev, pw_capture_facts(c), line);
			expected += s->n_callchain + s->n_branches;
			n++;
		} else if (strstr(line, "]: PERF_RECORD_")) {
			s = NULL;
		} else if (s && !strncmp(line, ".....", 5)) {
			compare_dump_line(s, line, &lines);
		}
	}
	assert_null(next_sample(c, &ev));
	assert_true(n > 0 && lines == expected);
	print_message("%s: %" PRIu64 " samples, %" PRIu64
		      " frames and branches\n",
		      strrchr(path, '/') + 1, n, lines);
	pw_capture_close(c);
	free(all);
}

/* --- which files ---------------------------------------------------------------------- */

static void compare_each(const char *const *names,
			 void (*compare)(const char *))
{
	const char *own = getenv("PERF_WASM_CAPTURES");
	char *perf = pw_find_program("perf"), *dir, *path;
	glob_t g;
	size_t i;

	if (!perf) {
		print_message("no perf to compare with\n");
		skip();
	}
	free(perf);
	if (own && *own) {
		path = pw_asprintf("%s/perf.data*", own);
		assert_int_equal(glob(path, 0, NULL, &g), 0);
		for (i = 0; i < g.gl_pathc; i++)
			compare(g.gl_pathv[i]);
		globfree(&g);
		free(path);
		return;
	}
	dir = corpus_or_skip("perfdata");
	for (; *names; names++) {
		path = pw_asprintf("%s/%s", dir, *names);
		compare(path);
		free(path);
	}
	free(dir);
}

static void samples_are_those_of_perf_script(void **state)
{
	static const char *const names[] = {
		"quipper/perf.data.callgraph-3.8",
		"quipper/perf.data.throttle-3.8",
		"quipper/perf.data.piped.target-3.8", "perfview/perf.data", NULL
	};

	(void)state;
	compare_each(names, compare_lines);
}

static void samples_are_those_of_the_dump(void **state)
{
	static const char *const names[] = {
		"quipper/perf.data.callgraph_and_branch-3.8",
		"quipper/perf.data.branch_stack_hw_index",
		"quipper/perf.data.raw_callgraph_branch-3.4",
		"quipper/perf.data.systemwide.1-3.8",
		"quipper/perf.data.weight_struct",
		"quipper/perf.data.i686-3.4",
		"perfview/perf.data",
		NULL
	};

	(void)state;
	compare_each(names, compare_dump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_those_of_perf_script),
		cmocka_unit_test(samples_are_those_of_the_dump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
