// SPDX-License-Identifier: GPL-2.0-only
/*
 * A loop's cycles as llvm-mca predicts them. The loop goes to it as AT&T text
 * in code order, the answer comes as JSON.
 */
#include "explain-impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <jansson.h>

#define TURNS      100
#define TIMEOUT_NS UINT64_C(20000000000)
#define MAX_OUT    (16u << 20)
#define MAX_INSNS  600

/* Each version has its own name in Debian. */
static char *find_mca(void)
{
	static const char *const names[] = { "llvm-mca",    "llvm-mca-19",
					     "llvm-mca-18", "llvm-mca-17",
					     "llvm-mca-16", "llvm-mca-15",
					     "llvm-mca-14" };
	char *path = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !path; i++)
		path = pw_find_program(names[i]);
	return path;
}

/* Jumps go to one label: where they go is not simulated. */
static void write_loop(const struct pw_minsn *insns,
		       const struct pw_loop_study *loop, struct pw_buf *text,
		       uint32_t *left_out)
{
	pw_buf_printf(text, "\t.text\nloop:\n");
	for (uint32_t k = 0; k < loop->n_insns; k++) {
		const struct pw_minsn *in = &insns[loop->insns[k]];

		if (in->is_call || in->opcode[0] == '.' ||
		    (in->is_jump && in->target == PW_NO_OFF))
			(*left_out)++;
		else if (in->is_jump && strncmp(in->opcode, "cb", 2) &&
			 strncmp(in->opcode, "tb", 2))
			pw_buf_printf(text, "\t%s loop\n", in->opcode);
		else
			pw_buf_printf(text, "\t%s %s\n", in->opcode,
				      in->operands);
	}
}

/* --- the answer -------------------------------------------------------------------- */

/* Names of resources may hold NUL. "SummaryView" is in the first code region, or in an older form above it. */
static const json_t *summary_of(const json_t *root)
{
	const json_t *regions = json_object_get(root, "CodeRegions");
	const json_t *s =
		json_object_get(json_array_get(regions, 0), "SummaryView");

	return s ? s : json_object_get(root, "SummaryView");
}

static const char *cpu_of(const json_t *root)
{
	const json_t *target = json_object_get(root, "TargetInfo");
	const char *cpu = json_string_value(json_object_get(target, "CPUName"));

	return cpu ? cpu : "native";
}

static int read_answer(const char *text, size_t n, struct pw_mca *mca,
		       struct pw_err *err)
{
	json_error_t e;
	json_t *root = json_loadb(text, n, JSON_ALLOW_NUL, &e);
	const json_t *s = summary_of(root);
	double turns = json_number_value(json_object_get(s, "Iterations"));
	double cycles = json_number_value(json_object_get(s, "TotalCycles"));
	int ret = 0;

	mca->cycles = turns > 0 ? cycles / turns : 0;
	snprintf(mca->cpu, sizeof(mca->cpu), "%s", cpu_of(root));
	if (!(mca->cycles > 0))
		ret = pw_err_set(err, ENOTSUP,
				 "llvm-mca gives no cycles of this loop");
	json_decref(root);
	return ret;
}

static int put_in_file(const struct pw_buf *text, char *path, size_t size)
{
	int fd = memfd_create("loop.s", 0);

	if (fd < 0)
		return -errno;
	if (write(fd, text->data, text->len) != (ssize_t)text->len) {
		close(fd);
		return -EIO;
	}
	snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), fd);
	return fd;
}

static int run_mca(const char *program, const char *triple,
		   const struct pw_buf *text, struct pw_buf *out,
		   struct pw_err *err)
{
	char path[64], turns[32];
	const char *argv[] = { program, triple, "-mcpu=native", turns, "--json",
			       path,    NULL };
	struct pw_buf said = { 0 };
	int status = 0, ret, fd = put_in_file(text, path, sizeof(path));

	if (fd < 0)
		return pw_err_set(err, -fd, "memfd_create: %s", strerror(-fd));
	snprintf(turns, sizeof(turns), "-iterations=%d", TURNS);
	ret = pw_child_run(argv, TIMEOUT_NS, out, &said, MAX_OUT, &status, err);
	if (!ret && status)
		ret = pw_err_set(err, ENOTSUP, "llvm-mca: %.*s",
				 (int)strcspn(pw_buf_str(&said), "\n"),
				 pw_buf_str(&said));
	pw_buf_release(&said);
	close(fd);
	return ret;
}

int pw_explain_mca(const struct pw_minsn *insns,
		   const struct pw_loop_study *loop, const char *arch,
		   struct pw_mca *mca, struct pw_err *err)
{
	char *program = find_mca();
	struct pw_buf text = { 0 }, out = { 0 };
	const char *triple =
		strcmp(arch, "x86-64") ? "-mtriple=aarch64" : "-mtriple=x86_64";
	int ret = 0;

	memset(mca, 0, sizeof(*mca));
	if (!program)
		return pw_err_set(
			err, ENOENT,
			"llvm-mca is not installed (Debian: apt-get install llvm), so no cycles are predicted");
	if (loop->n_insns > MAX_INSNS)
		ret = pw_err_set(
			err, ENOTSUP,
			"the loop has %u instructions, too many for llvm-mca",
			loop->n_insns);
	if (!ret) {
		write_loop(insns, loop, &text, &mca->n_left_out);
		ret = run_mca(program, triple, &text, &out, err);
	}
	if (!ret)
		ret = read_answer(pw_buf_str(&out), out.len, mca, err);
	pw_buf_release(&text);
	pw_buf_release(&out);
	free(program);
	return ret;
}
